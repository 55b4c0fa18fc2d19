"""Joints that report about themselves: as readings under their own names, like a sensor's; off unless asked for."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.documents import ANCHOR, ball, body, robot, vector
from tests.helpers.motor_robots import flywheel
from ubersim.description import read_robot
from ubersim.description.overview import summary
from ubersim.errors import DescriptionError, UberSimError
from ubersim.protocol.quantity import from_plain
from ubersim.recording import Log, Recorder, replay
from ubersim.recording.tables import topics
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot_info import robot_info
from ubersim.simulation.snapshot import Snapshot

TURNING = "<Vel>2</Vel><FMax>100</FMax>"


def wheel(report: str, settings: str = "") -> str:
    return flywheel("", TURNING + report, settings)


def test_it_tells_position_and_rate_of_every_axis() -> None:
    simulation = Simulation()
    joint = f'<JointUniversal name="J"><Body1>A</Body1><Body2>B</Body2>{vector("Axis1", 1, 0, 0)}'
    joint += f"{vector('Axis2', 0, 1, 0)}{ANCHOR}<Vel>3</Vel><FMax>9</FMax><Report/></JointUniversal>"
    spawned = simulation.spawn(robot(body(ball("a"), "A") + body(ball("b"), "B"), joint), position=(0, 0, 5))
    for _ in range(50):
        simulation.step()
        reading = spawned.read("J")
        assert isinstance(reading, np.ndarray)
        truth = [[spawned.joints["J"].position(axis), spawned.joints["J"].rate(axis)] for axis in (0, 1)]
        np.testing.assert_array_equal(reading, np.array(truth, dtype=np.float32))


def test_motors_have_no_position() -> None:
    simulation = Simulation()
    joint = f'<JointAMotor name="J"><Body1>A</Body1>{vector("Axis1", 0, 0, 1)}{TURNING}<Report/></JointAMotor>'
    spawned = simulation.spawn(robot(body(ball("a"), "A"), joint), position=(0, 0, 5))
    simulation.step(5)
    ((position, rate),) = np.asarray(spawned.read("J")).tolist()
    assert math.isnan(position) and rate == pytest.approx(2.0)


def test_nothing_is_told_unless_it_is_asked_for() -> None:
    simulation = Simulation()
    spawned = simulation.spawn(wheel(""))
    simulation.step(5)
    assert not spawned.sensors and not introduction_of(spawned)["sensors"]
    with pytest.raises(UberSimError, match="has no sensor 'H'"):
        spawned.read("H")


def test_a_joint_without_axes_has_nothing_to_report() -> None:
    joint = f'<JointBall name="J"><Body1>A</Body1>{ANCHOR}<Report/></JointBall>'
    with pytest.raises(DescriptionError, match=r"JointBall\[J\]/Report: .* has no axis, and so nothing"):
        Simulation().spawn(robot(body(ball("a"), "A"), joint))


@pytest.mark.parametrize(
    ("joint", "named"),
    [
        (f"<JointPiston name='J'>{{}}{vector('Axis', 0, 0, 1)}{ANCHOR}", "position [m], rate [m/s], position2 [rad]"),
        (f"<JointAMotor name='J'>{{}}{vector('Axis1', 0, 0, 1)}", "position [rad], rate [rad/s]"),
        (f"<JointSlider name='J'>{{}}{vector('Axis', 0, 0, 1)}", "position [m], rate [m/s]"),
    ],
)
def test_check_tells_what_is_reported(joint: str, named: str) -> None:
    """The same as the welcome, which knows the joint that was made."""
    tag = joint[1:].partition(" ")[0]
    text = joint.format("<Body1>A</Body1><Body2>B</Body2>") + f"<Report><Frequency>50</Frequency></Report></{tag}>"
    document = robot(body(ball("a"), "A") + body(ball("b"), "B"), text)
    with Simulation() as simulation:
        welcome = introduction_of(simulation.spawn(document))["sensors"]["J"]["quantities"]
    told = ", ".join(map(str, from_plain(welcome)))
    assert f"    reports 50 Hz, late by 0 ms: {told}\n" in summary(read_robot(document)) and told.startswith(named)


def test_it_goes_on_in_snapshots_and_logs(tmp_path: Path) -> None:
    document = wheel('<Report><Latency model="uniform"><Min>2</Min><Max>9</Max></Latency></Report>')
    simulation = Simulation()
    spawned = simulation.spawn(document)
    with Recorder(simulation, tmp_path / "run.mcap"):
        simulation.step(40)
        saved = simulation.snapshot().to_bytes()
        simulation.step(40)
    other = Simulation()
    other.restore(Snapshot.from_bytes(saved))
    other.step(40)
    np.testing.assert_array_equal(np.asarray(other.robots["R"].read("H")), np.asarray(spawned.read("H")))
    with Log(tmp_path / "run.mcap") as log:
        assert replay(log) is None
        assert topics(log)["/R/H"] > 40


def test_supervisors_are_not_told_of_a_report_as_of_a_sensor() -> None:
    with Simulation() as simulation:
        robot = simulation.spawn(wheel("<Report/>"))
        assert set(robot.sensors) - set(robot_info(simulation)[robot.name]["sensors"]) == {"H"}
