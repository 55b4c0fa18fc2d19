"""What is kept of a test that failed where logs cannot be written: a table of all samples."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from tests.helpers.robots import cart
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.testing.contact_report import ROWS, motion_account
from ubersim.testing.failure_report import MOST_TOPICS, Evidence, chosen_topics, motion_title
from ubersim.testing.history import History, Moment
from ubersim.testing.in_process import InProcessTrial
from ubersim.testing.plugin import _numbers


def test_without_logs_there_is_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ubersim.recording", None)
    with Simulation() as simulation:
        simulation.spawn(cart())
        trial, evidence = InProcessTrial(simulation), Evidence(simulation)
        simulation.step(300)
        said = "\n".join(evidence.save(trial, tmp_path / "kept"))
        evidence.close()
    assert "log: run.csv   (pip install 'ubersim[log]' for logs that replay)" in said
    with (tmp_path / "kept" / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert all(row["body"].startswith("Cart/") for row in rows) and len(rows) > 3
    assert float(rows[-1]["time"]) > 0.2 and set(rows[0]) >= {"x", "tilt", "vz"}


class _Silent(History):
    """Has seen nothing."""

    def __init__(self) -> None: ...

    def of(self, body: str, seconds: float = 1.0) -> list[Moment]:
        return []


def test_what_was_never_seen_has_no_table() -> None:
    assert motion_account("Ball", _Silent()) == "Ball was never seen"


@pytest.mark.parametrize("given", ["ten", [None], object()])
def test_latencies_and_seeds_are_numbers(given: object) -> None:
    with pytest.raises(pytest.UsageError, match="latency and seed are numbers"):
        _numbers(given)


def test_what_cannot_be_saved_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    (tmp_path / "run.mcap" / "run.mcap").mkdir(parents=True)
    with Simulation() as simulation:
        simulation.spawn(cart())
        trial, evidence = InProcessTrial(simulation), Evidence(simulation)
        simulation.step(300)
        said = evidence.save(trial, tmp_path)
        evidence.close()
    assert [line for line in said if line.startswith("  no log: ")] and len(said) > 2


def test_a_picture_has_something_of_all_that_it_is_about() -> None:
    """Commands and readings of both robots, however many sensors one of them has; and it says if it is not all."""
    sonars = [f"/A/Sonar{number}" for number in range(20)]
    known = [*sonars, "/A/Wheel/Vel", "/B/Bumper", "/B/Drive/Speed", "/B/Drive/Turn", "/C/Tilt"]
    chosen, count = chosen_topics(known, ["A", "B"])
    assert len(chosen) == MOST_TOPICS and count == 24
    assert chosen == [*sonars[:8], *known[20:24]]
    assert chosen_topics(known, ["C", "D"]) == (["/C/Tilt"], 1)


def test_the_motion_says_whose_it_is_where_and_how_late() -> None:
    with Simulation("playground") as simulation:
        simulation.spawn(cart(latency="15"))
        assert motion_title(simulation, ["Cart/Base", "Ball"]) == "Cart/Base (latency 15 ms), Ball in playground"


def test_contacts_of_the_same_and_of_objects() -> None:
    with Simulation("msl_12x8") as simulation:
        simulation.spawn(cart())
        trial = InProcessTrial(simulation)
        with pytest.raises(UberSimError, match="Ball and Ball are the same"):
            trial.touches("Ball", "Ball")
        simulation.step(300)
        with pytest.raises(AssertionError, match=r"Ball and World touch, at 0\.300 s"):
            trial.assert_no_contact("Ball")
        with pytest.raises(AssertionError, match=r"(?s)Ball is .* farther than 1 m.*Ball over the last second"):
            trial.assert_pose("Ball", (50.0, 0.0, None), within=1.0)


def test_samples_go_on_after_a_snapshot() -> None:
    with Simulation() as simulation:
        simulation.spawn(cart())
        before = simulation.snapshot()
        history = History(simulation, 0.01)
        simulation.observers.append(history)
        simulation.step(100)
        simulation.restore(before)
        simulation.step(5)
        assert history.of("Cart/Base")[-1].time < 0.01


def test_a_short_history_is_told_in_full() -> None:
    with Simulation() as simulation:
        simulation.spawn(cart())
        history = History(simulation, 0.01)
        simulation.observers.append(history)
        simulation.step(25)
        account = motion_account("Cart/Base", history).splitlines()
    times = [float(row.split()[0]) for row in account[2:]]
    assert times == [moment.time for moment in history.of("Cart/Base")] and 0 < len(times) <= ROWS


def test_a_camera_that_lists_what_it_sees_leaves_no_picture(tmp_path: Path) -> None:
    """Two that can do both: one draws, the other is told at run time to list things instead."""
    place = "<Position><x>0</x><y>0</y><z>0.3</z></Position><Fov>60</Fov><Switchable>true</Switchable>"
    eyes = "".join(f'<CameraSensor name="{name}">{place}</CameraSensor>' for name in ("Eye", "List"))
    with Simulation() as simulation:
        simulation.spawn(cart().replace("</InclinometerSensor>", f"</InclinometerSensor>{eyes}"))
        simulation.robots["Cart"].command("List", "Level", 1.0)
        trial, evidence = InProcessTrial(simulation), Evidence(simulation)
        simulation.step(300)
        evidence.save(trial, tmp_path / "kept")
        evidence.close()
    assert [path.name for path in (tmp_path / "kept").glob("Cart-*.png")] == ["Cart-Eye.png"]
