"""Plans: what they say, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.recording_robots import car
from ubersim.control.balancer import Balancer
from ubersim.description import read_robot
from ubersim.description.editing import number_at, with_numbers
from ubersim.errors import UberSimError
from ubersim.sweeps.execute import execute
from ubersim.sweeps.parameters import combinations, parameter
from ubersim.sweeps.plan_file import plan_from

GIVEN = {"robot": "robots/segway.xml", "program": "ubersim.control.balancing:balance", "frames": 50}


def values(**given: Any) -> list[dict[str, Any]]:
    return combinations({name: parameter(name, one) for name, one in given.items()}, 8, seed=1)


def test_listed_values() -> None:
    assert parameter("kp", {"list": [1, 2]}) == parameter("kp", [1, 2])
    assert values(a=[1, 2], b="x") == [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]
    assert [row["a"] for row in values(a={"grid": [0, 100, 6]})] == [0, 20, 40, 60, 80, 100]
    assert [row["a"] for row in values(a={"grid": [1, 100, 3], "log": True})] == pytest.approx([1, 10, 100])


def test_drawn_values() -> None:
    drawn = values(a={"latin": [10, 18]}, b={"random": [0, 1]}, c=[1, 2])
    assert len(drawn) == 16 and drawn == values(a={"latin": [10, 18]}, b={"random": [0, 1]}, c=[1, 2])
    cells = sorted(int(row["a"] - 10) for row in drawn[:8])
    assert cells == list(range(8))  # one sample in each eighth
    assert all(0 <= row["b"] <= 1 for row in drawn)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"grid": [1, 2]}, "give the lowest and the highest value, and how many"),
        ({"list": 5}, "give a list of values, not 5"),
        ({"list": "abc"}, "give a list of values, not 'abc'"),
        ({"list": []}, r"give a list of values, not \[\]"),
        ({"random": "x"}, "give the lowest and the highest value"),
        ({"gird": [1, 2, 3]}, "there is no 'gird'; there are grid"),
        ({"grid": [1, 2, 3], "list": [1]}, "say one of grid"),
    ],
)
def test_wrong_parameters(given: Any, said: str) -> None:
    with pytest.raises(UberSimError, match=said):
        parameter("kp", given)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"robots": "x"}, "unknown robots; there are cameras"),
        ({"robot": "robots/none.xml"}, "there is no robots/none.xml"),
        ({"parameters": {"ki": 1}}, "balance has no parameter 'ki'; it has kp, kd"),
        ({"program": "ubersim.control.balancing:fall"}, "has no function 'fall'"),
        ({"program": "no.such.module:f"}, "No module named 'no"),
        ({"parameters": {"Chassis/Weight": 1}}, "fits no element of the robot"),
        ({"parameters": {"Mass": 1}}, "no parameter 'Mass'"),
        ({"parameters": {"MainBody/Mass": 1}}, "fits 4 elements of the robot: line"),
        ({"parameters": {"seed": 0.5}}, "a seed is a whole number"),
        ({"metrics": [{"rms": "Speed"}]}, "has no sensor 'Speed'; it has Tilt"),
    ],
)
def test_wrong_plans(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UberSimError, match=said):
        for spec in plan_from(GIVEN | changes, tmp_path).runs():
            execute(spec)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"parameters": {"MainBody/Mass": 1}}, "fits 4 elements of the robot: line"),
        ({"parameters": {"world:Ball/Mass": 1}}, "fits no element of the world"),
        ({"robot": None}, "it has no 'robot'"),
        ({"frames": "many"}, "frames is a whole number from 1 on, not 'many'"),
        ({"repetitions": 0}, "repetitions is a whole number from 1 on, not 0"),
        ({"step": -0.001}, "step is a number of seconds above 0"),
        ({"limit": "long"}, "limit is a number of seconds above 0"),
        ({"cameras": "some"}, "cameras is true or false"),
    ],
)
def test_slips_end_a_sweep_before_it_begins(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UberSimError, match=said):
        plan_from({name: one for name, one in (GIVEN | changes).items() if one is not None}, tmp_path)


def test_what_comes_along_is_known_by_its_name(tmp_path: Path) -> None:
    named = plan_from(GIVEN | {"robot": "segway", "world": "room"}, tmp_path)
    assert named.setup == plan_from(GIVEN | {"robot": "robots/segway.xml", "world": "worlds/room.xml"}, tmp_path).setup


def test_numbers_in_documents() -> None:
    text = car("<Latency model='uniform'><Min>1</Min><Max>2</Max></Latency>")
    changed = with_numbers(text, {"Box/Mass": 2.5, "CSettings/Latency": 30, "LMotor/FMax": 7})
    assert [number_at(changed, path) for path in ("Box/Mass", "CSettings/Latency", "LMotor/FMax")] == [2.5, 30, 7]
    robot = read_robot(changed)
    assert robot.settings.latency.minimum == 30
    assert robot.mass_properties().mass == pytest.approx(read_robot(text).mass_properties().mass + 1.5)


def test_a_world_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "world.xml").write_text(Path(__file__).parents[2].joinpath("worlds/ground.xml").read_text())
    given = GIVEN | {
        "world": "world.xml",
        "parameters": {"latency": [0, 20]},
        "metrics": ["settled", "swing", "fell_at"],
    }
    found = [execute(spec) for spec in plan_from(given, tmp_path).runs()]
    assert [one.frames for one in found] == [50, 50] and set(found[0].metrics) == {"settled", "swing", "fell_at"}


def test_think_time_is_latency_to_the_robot(tmp_path: Path) -> None:
    """Commands that are sent 30 ms later, or that are 30 ms under way, are executed in the same frames."""
    runs = [{"think": 30, "latency": 10}, {"think": 0, "latency": 40}, {"think": 0, "latency": 10}]
    digests = [
        execute(next(plan_from(GIVEN | {"frames": 300, "parameters": one}, tmp_path).runs())).digest for one in runs
    ]
    assert digests[0] == digests[1] != digests[2]


def test_gains_reach_the_program() -> None:
    assert Balancer(100.0, 40.0).update(0.0) == pytest.approx(np.radians(4.0))
