"""Moves a robot joint by joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ubersim.driving.pilot import Pilot, SteeredRobot, Sticks
from ubersim.protocol.properties import on_axis

ANGLE, RATE, WAY = 0.0873, 0.5, 0.01
"""What a key press changes: five degrees [rad], half a radian per second, a centimetre [m]."""


@dataclass
class Lever:
    """Something to move: a property of a component."""

    component: str
    name: str
    step: float
    value: float = 0.0
    told: float = 0.0


class JointPilot(Pilot):
    """One of its servos or joints at a time."""

    help = "left, right (or a d): choose a joint; up, down (or w s): move it; blank: back to 0; 0: all back"

    def __init__(self, levers: Sequence[Lever]) -> None:
        self._levers, self._chosen = list(levers), 0

    def press(self, key: str) -> None:
        lever = self._levers[self._chosen]
        match key:
            case "right" | "d":
                self._chosen = (self._chosen + 1) % len(self._levers)
            case "left" | "a":
                self._chosen = (self._chosen - 1) % len(self._levers)
            case "up" | "w":
                lever.value = round(lever.value + lever.step, 6)
            case "down" | "s":
                lever.value = round(lever.value - lever.step, 6)
            case " ":
                lever.value = 0.0
            case "0":
                for each in self._levers:
                    each.value = 0.0

    def move(self, sticks: Sticks) -> None:
        """The chosen one, as fast as the stick says."""
        lever = self._levers[self._chosen]
        lever.value = round(lever.value + 0.1 * lever.step * sticks.forward, 6)

    def command(self, robot: SteeredRobot, readings: Mapping[str, Any]) -> None:
        for lever in self._levers:
            if lever.value != lever.told:
                robot.set(lever.component, lever.name, lever.value)
                lever.told = lever.value

    def status(self) -> str:
        lever = self._levers[self._chosen]
        return f"{lever.component}.{lever.name} {lever.value:+.2f} ({self._chosen + 1} of {len(self._levers)})"


def joint_pilot(settings: Mapping[str, Any]) -> JointPilot | None:
    """For the robot of a welcome: its servos, or if it has none, its joints; None if nothing of it moves."""
    servos = [name for name, about in settings.get("motors", {}).items() if "Target" in about["properties"]]
    levers = [Lever(name, "Target", ANGLE) for name in servos]
    if not levers:
        for name, about in settings.get("joints", {}).items():
            units = about.get("units", ["rad"] * about["axes"])
            levers += [Lever(name, on_axis("Vel", axis), _step(units[axis])) for axis in range(about["axes"])]
    return JointPilot(levers) if levers else None


def _step(unit: str) -> float:
    return RATE if unit == "rad" else WAY
