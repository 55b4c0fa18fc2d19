"""What a program says or asks for that there is not is told at once, in the same words, wherever its robot is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.robots import cart
from tests.helpers.sensor_stage import sensor
from tests.helpers.serving import Serving
from ubersim import Recorder, Simulation, connect
from ubersim.control.log_robot import LogRobot
from ubersim.errors import UberSimError
from ubersim.simulation.local_robot import LocalRobot
from ubersim.timing.uniform import Uniform

DOCUMENT = cart(latency="4", sensor="<Frequency>200</Frequency>").replace(
    "<Incl", sensor("ImuSensor", "Imu", "<Frequency>100</Frequency>") + "<Incl"
)


def _drive(robot: Any) -> None:
    """Its latency shrinks on the way."""
    for _ in range(40):
        robot.next_frame()
        robot.set("Motor", "Vel", 3.0)
        if robot.frame.time == pytest.approx(0.02):
            robot.set_latency(1)


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "run.mcap"
    with Simulation() as simulation, Recorder(simulation, path):
        _drive(LocalRobot(simulation, simulation.spawn(DOCUMENT)))
    return path


@pytest.fixture(params=["server", "process", "log"])
def open_robot(request: pytest.FixtureRequest, serve: Callable[..., Serving], recorded: Path) -> Callable[[], Any]:
    @contextmanager
    def opened() -> Iterator[Any]:
        if request.param == "log":
            with LogRobot(recorded) as robot:
                yield robot
        elif request.param == "process":
            with Simulation() as simulation, LocalRobot(simulation, simulation.spawn(DOCUMENT)) as local:
                yield local
        else:
            with connect(DOCUMENT, port=serve(100, clients=1).port, protocol=2) as remote:
                yield remote

    return opened


def test_values_by_name(open_robot: Callable[[], Any]) -> None:
    with open_robot() as robot:
        latest = robot.latest
        assert "Imu" not in latest and "Imu.force.x" not in latest and latest.get("Imu.force.x", 7.0) == 7.0
        assert robot.read("Imu.force.x") is None
        frame = robot.next_frame()
        assert "Imu.force.x" in latest and latest.get("Imu.force.x") == latest["Imu.force.x"] == frame["Imu.force.x"]
        assert "Imu.force" in frame and "Imu.forse" not in frame and "Imu.forse" not in latest and "Imux" not in latest
        assert latest.get("Imu.forse") is None and robot.read("Imu.force.x") == latest["Imu.force.x"]
        robot.next_frame()  # in which it sends nothing
        for asked in (frame.__getitem__, robot.frame.__getitem__, latest.__getitem__):
            with pytest.raises(KeyError, match="the readings of Imu have no 'forse'; they have orientation"):
                asked("Imu.forse")
        with pytest.raises(UberSimError, match="the readings of Imu have no 'forse'; they have orientation"):
            robot.read("Imu.forse")


def test_commands(open_robot: Callable[[], Any]) -> None:
    with open_robot() as robot:
        robot.next_frame()
        with pytest.raises(UberSimError, match="no component 'Moter'; did you mean Motor"):
            robot.set("Moter", "Vel", 1.0)
        with pytest.raises(UberSimError, match="Motor has no property 'Vell'; did you mean Vel"):
            robot.set("Motor", "Vell", 1.0)
        for wrong, why in ((-1, "between 0 and 60000"), (Uniform(1, 2), "a program sets its latency in milliseconds")):
            with pytest.raises(UberSimError, match=why):
                robot.set_latency(wrong)
        assert robot.next_frame() is not None  # nothing of that was said


@pytest.mark.parametrize("open_robot", ["server", "process"], indirect=True)
def test_what_a_log_does_not_take(open_robot: Callable[[], Any]) -> None:
    with open_robot() as robot:
        robot.next_frame()
        wrong: list[Callable[[], None]] = [
            lambda: robot.chunk({("Moter", "Vel"): [1.0]}, 0.1),
            lambda: robot.send("Moter", b"fast"),
            lambda: robot.cancel("Moter"),
        ]
        for say in wrong:
            with pytest.raises(UberSimError, match="no component 'Moter'; did you mean Motor"):
                say()
        assert robot.next_frame() is not None  # nothing of that was said


def test_a_program_from_a_log_changes_its_latency_as_then(recorded: Path) -> None:
    with LogRobot(recorded) as robot:
        _drive(robot)
        assert robot.next_frame() is None or robot.difference == ""
    with LogRobot(recorded) as robot:
        for _ in range(40):
            robot.next_frame()
            robot.set("Motor", "Vel", 3.0)
        assert robot.difference  # it did not
