"""What keys and sticks mean, without a robot: one key, one change."""

from __future__ import annotations

import pytest

from ubersim.driving.joint_pilot import ANGLE, RATE, WAY, joint_pilot
from ubersim.driving.pilot import Sticks, WantedTwist


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


def test_every_key_changes_one_part_of_a_twist() -> None:
    wanted = WantedTwist()
    for key in ("s", "d", "d", "e", "-", "w", "a", "q"):
        wanted.press(key)
    assert (wanted.speed, wanted.turn, wanted.sideways) == pytest.approx((-0.05, -0.3, 0.05))
