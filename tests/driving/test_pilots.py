"""What keys and sticks mean, without a robot: one key, one change."""

from __future__ import annotations

import pytest

from tests.helpers.robot_programs import document
from ubersim.driving.balance_pilot import BalancePilot
from ubersim.driving.joint_pilot import ANGLE, RATE, WAY, joint_pilot
from ubersim.driving.pilot import Sticks, WantedTwist
from ubersim.driving.twist_pilot import twist_pilot
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of


class Told:
    """Keeps what a pilot commands."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, str, float]] = []

    def set(self, component: str, name: str, value: float) -> None:
        self.commands.append((component, name, value))


SERVOS = {"motors": {"Neck": {"properties": ["Target"]}, "Tail": {"properties": ["Target", "Vel"]}}}
JOINTS = {"motors": {}, "joints": {"Wheel": {"axes": 2}, "Lift": {"axes": 1, "units": ["m"]}}}


def test_servos_are_moved_one_at_a_time_and_told_once() -> None:
    pilot, robot = joint_pilot(SERVOS), Told()
    assert pilot is not None
    for key in ("up", "w", "left", "s"):  # the one before the first is the last
        pilot.press(key)
    pilot.command(robot, {})
    pilot.command(robot, {})
    assert robot.commands == [("Neck", "Target", 2 * ANGLE), ("Tail", "Target", -ANGLE)]
    assert pilot.status() == "Tail.Target -0.09 (2 of 2)"
    pilot.press(" ")
    pilot.command(robot, {})
    assert robot.commands[2:] == [("Tail", "Target", 0.0)]
    pilot.press("0")
    pilot.command(robot, {})
    assert robot.commands[3:] == [("Neck", "Target", 0.0)]
    pilot.move(Sticks(forward=-1.0))
    pilot.command(robot, {})
    assert robot.commands[4:] == [("Tail", "Target", round(-0.1 * ANGLE, 6))]


def test_without_servos_axes_of_joints_get_speeds() -> None:
    pilot, robot = joint_pilot(JOINTS), Told()
    assert pilot is not None
    for key in ("up", "d", "up", "right", "up"):
        pilot.press(key)
    pilot.command(robot, {})
    assert robot.commands == [("Wheel", "Vel", RATE), ("Wheel", "Vel2", RATE), ("Lift", "Vel", WAY)]
    assert joint_pilot({"motors": {}, "joints": {}}) is None


def test_a_robot_that_cannot_go_sideways_is_not_told_to() -> None:
    twist = {"Speed": 38, "Turn": 59, "Sideways": 60}
    omni = {"Drive": {"properties": twist}, "Kicker": {"properties": {"Kick": 42}}}
    free, tied = (
        twist_pilot({"motors": motors}) for motors in (omni, {"Drive": {"properties": twist, "idle": ["Sideways"]}})
    )
    assert free is not None and tied is not None
    assert "sideways" in free.help and "kick" in free.help
    assert "sideways" not in tied.help + tied.status() and "kick" not in tied.help
    for pilot, wanted in (
        (free, [("Drive", "Speed", 0.1), ("Drive", "Turn", 0.0), ("Drive", "Sideways", 0.1)]),
        (tied, [("Drive", "Speed", 0.1), ("Drive", "Turn", 0.0)]),
    ):
        robot = Told()
        pilot.press("up")
        pilot.press("e")
        pilot.command(robot, {})
        assert robot.commands == wanted


@pytest.mark.parametrize(
    ("name", "slides"), [("scout", False), ("pioneer", False), ("car", False), ("msl_omni", True), ("ssl", True)]
)
def test_robots_tell_whether_they_go_sideways(name: str, slides: bool) -> None:
    robot = Simulation().spawn(document(name))
    assert ("Sideways" not in introduction_of(robot)["motors"]["Drive"].get("idle", ())) == slides


def test_every_key_changes_one_part_of_a_twist() -> None:
    wanted = WantedTwist()
    for key in ("s", "d", "d", "e", "-", "w", "a", "q"):
        wanted.press(key)
    assert (wanted.speed, wanted.turn, wanted.sideways) == pytest.approx((-0.05, -0.3, 0.05))


def test_the_balanced_one_takes_sticks_too() -> None:
    pilot = BalancePilot()
    pilot.move(Sticks(forward=0.5))
    assert pilot.status().startswith("speed +0.50 m/s (wheels +0.00), turn +0.00")
    pilot.move(Sticks())
    assert pilot.status().startswith("speed +0.00 m/s")
