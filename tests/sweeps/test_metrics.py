"""What is measured of a run, against what can be computed; what is no metric is refused."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.helpers.robots import cart
from ubersim.errors import UberSimError
from ubersim.plotting import new_figure
from ubersim.simulation import Simulation
from ubersim.sweeps.execute import Outcome
from ubersim.sweeps.function_run import ControlledRobot, arguments_for
from ubersim.sweeps.history import RunHistory
from ubersim.sweeps.metrics import _plain, distance, fell, fell_at, rms, settled, swing, time_to_goal
from ubersim.sweeps.plot import draw_map, plot
from ubersim.sweeps.results import Results
from ubersim.sweeps.sources import find
from ubersim.sweeps.summary import _extremes
from ubersim.sweeps.tune import _value
from ubersim.sweeps.verification import share_of


def history() -> Any:
    """One metre a second along y for ten seconds, while its tilt fades from 60 degrees; a sensor swings by 1."""
    times = np.linspace(0.0, 10.0, 101)
    positions = np.stack([0 * times, times, 0 * times], axis=1)
    swings = np.stack([times, np.sin(2 * np.pi * times)], axis=1)[:-1]
    tilts = 60 * np.exp(-times)

    def readings(sensor: str) -> Any:
        return swings if sensor == "Tilt" else swings[:0]

    return SimpleNamespace(times=times, positions=positions, tilts=tilts, readings=readings)


def test_metrics_are_what_they_say() -> None:
    run = history()
    assert fell(run) and not fell(run, 61.0)
    assert fell_at(run) == 0.0 and math.isnan(fell_at(run, 61.0))
    assert settled(run) == pytest.approx(math.log(60), abs=0.11)
    assert settled(run, 61.0) == 0.0
    assert rms(run, "Tilt") == pytest.approx(0.5**0.5) and math.isnan(rms(run, "Nothing"))
    assert swing(run, 1.0) == pytest.approx(60 * (math.exp(-9) - math.exp(-10)))
    assert distance(run) == 10.0
    assert time_to_goal(run, (0.0, 7.0, 0.55)) == pytest.approx(6.5)
    assert math.isnan(time_to_goal(run, (5.0, 0.0, 1.0)))


def test_a_metric_is_a_number_or_a_truth_value() -> None:
    assert _plain(np.float64(2)) == 2.0 and _plain(np.bool_(True)) is True
    with pytest.raises(UberSimError, match="a metric is a number or a truth value, not 'far'"):
        _plain("far")
    with pytest.raises(UberSimError, match=r"is neither MODULE:FUNCTION nor FILE\.py:FUNCTION"):
        find("speed", {})


def test_a_history_keeps_the_readings_that_are_watched() -> None:
    with Simulation() as simulation:
        robot = simulation.spawn(cart())
        history = RunHistory(simulation, robot)
        simulation.observers.append(history)
        with pytest.raises(UberSimError, match=f"{robot.name} has no sensor 'Nose'; it has "):
            history.watch("Nose")
        sensor = next(name for name in robot.sensors if isinstance(robot.sensors[name].description.shape, tuple))
        history.watch(sensor)
        simulation.step(20)
        times, values = history.readings(sensor).T
        assert len(times) > 1 and np.isfinite(values).all() and (np.diff(times) > 0).all()


def test_a_program_of_the_same_process_is_given_all_if_it_takes_all() -> None:
    def program(robot: ControlledRobot, **more: float) -> Any:
        """Takes whatever there is."""

    assert arguments_for(program, {"kp": 1.0, "any": 2}) == {"kp": 1.0, "any": 2}


@pytest.mark.parametrize("text", ["much", "0", "-1%", "200%", "1.5", "nan"])
def test_a_share_is_a_part_of_the_whole(text: str) -> None:
    assert share_of("1%") == share_of("0.01") == 0.01
    with pytest.raises(UberSimError, match="is no share of the runs"):
        share_of(text)


def drawn(**columns: list[str]) -> Results:
    return Results(columns | {"fell": ["0", "1", "1"]}, list(columns), ["fell"])


def test_a_map_of_what_was_drawn_by_chance_has_points(tmp_path: Path) -> None:
    by_chance = drawn(kp=["1", "2", "3"], kd=["5", "7", "6"])
    assert plot(by_chance, "fell", tmp_path / "map.png") and (tmp_path / "map.png").stat().st_size > 1000


def test_a_map_has_units_and_ticks_where_it_was_run() -> None:
    columns = {"latency": ["0", "0", "60", "60"], "kp": ["20", "400", "20", "400"], "swing": ["0", "1", "2", "3"]}
    place = (figure := new_figure(4, 3)).subplots()
    draw_map(figure, place, Results(columns, ["latency", "kp"], ["swing"]), "swing", "latency", "kp")
    assert (place.get_xlabel(), place.get_ylabel(), figure.axes[1].get_ylabel()) == ("latency [ms]", "kp", "swing [°]")
    assert list(place.get_xticks()) == [0, 60] and list(place.get_yticks()) == [20, 400]


@pytest.mark.parametrize(("results", "metric"), [(drawn(), "fell"), (drawn(kp=["1", "2", "3"]), "speed")])
def test_there_may_be_nothing_to_plot_or_to_list(results: Results, metric: str, tmp_path: Path) -> None:
    assert not plot(results, metric, tmp_path / "map.png") and not list(tmp_path.iterdir())
    assert _extremes(results, "speed", 1) == ""


def test_what_failed_is_the_worst_of_all() -> None:
    assert _value(Outcome(1, reason="fell over"), "speed", 1.0) == -math.inf
    assert _value(Outcome(1, {"speed": math.nan}), "speed", 1.0) == -math.inf
    assert _value(Outcome(1, {"speed": 3.0}), "speed", -1.0) == -3.0


def test_a_thinking_program_of_the_same_process() -> None:
    with Simulation() as simulation:
        robot = ControlledRobot(simulation, simulation.spawn(cart()), think=5.0)
        simulation.step(3)
        assert robot.time == simulation.time == pytest.approx(0.003)
        with pytest.raises(UberSimError, match="takes no payload of its own"):
            robot.send("Motor", b"x")
