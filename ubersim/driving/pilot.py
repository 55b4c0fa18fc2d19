"""What keys and sticks mean for a robot: one class per way to drive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class SteeredRobot(Protocol):
    """What a pilot needs of a robot."""

    def set(self, component: str, name: str, value: float) -> None:
        """Sets a property."""


@dataclass(frozen=True)
class Sticks:
    """How far a gamepad's sticks are moved, from -1 to 1."""

    forward: float = 0.0
    left: float = 0.0
    """Turning."""
    right: float = 0.0
    """Sideways."""


class LetGo:
    """Sticks count while they are moved, and once more as they are let go: then keys have their turn again."""

    def __init__(self) -> None:
        self._moved = False

    def counting(self, sticks: Sticks) -> Sticks | None:
        """These, if they count now."""
        moved = sticks != Sticks()
        counts, self._moved = moved or self._moved, moved
        return sticks if counts else None


class Pilot(ABC):
    """Takes keys and sticks, and commands the robot accordingly."""

    help: str
    """The keys, in one line."""
    slides: bool = False
    """Whether it goes sideways, too."""

    @abstractmethod
    def press(self, key: str) -> None:
        """A key was pressed, `up` or `k`; those that mean nothing are let pass."""

    @abstractmethod
    def move(self, sticks: Sticks) -> None:
        """The sticks of a gamepad are so."""

    @abstractmethod
    def command(self, robot: SteeredRobot, readings: Mapping[str, Any]) -> None:
        """Commands what is new, in a frame with these readings."""

    @abstractmethod
    def status(self) -> str:
        """What is wanted now, in a few words."""


@dataclass
class WantedTwist:
    """How fast a robot should go; each key press changes it by a step."""

    speed: float = 0.0
    turn: float = 0.0
    sideways: float = 0.0
    speed_step: float = 0.1
    turn_step: float = 0.2
    slides: bool = True
    """Whether the robot can go sideways."""

    def press(self, key: str) -> None:
        """`up` and `down`, `left` and `right`, `q` and `e`, blank."""
        match key:
            case "up" | "w":
                self.speed = _rounded(self.speed + self.speed_step)
            case "down" | "s":
                self.speed = _rounded(self.speed - self.speed_step)
            case "left" | "a":
                self.turn = _rounded(self.turn + self.turn_step)
            case "right" | "d":
                self.turn = _rounded(self.turn - self.turn_step)
            case "q" if self.slides:
                self.sideways = _rounded(self.sideways - self.speed_step)
            case "e" if self.slides:
                self.sideways = _rounded(self.sideways + self.speed_step)
            case "+":
                self.speed_step, self.turn_step = 2 * self.speed_step, 2 * self.turn_step
            case "-":
                self.speed_step, self.turn_step = self.speed_step / 2, self.turn_step / 2
            case " ":
                self.speed = self.turn = self.sideways = 0.0

    def move(self, sticks: Sticks) -> None:
        """A stick at its end is ten steps."""
        self.speed, self.turn = 10 * self.speed_step * sticks.forward, 10 * self.turn_step * sticks.left
        self.sideways = 10 * self.speed_step * sticks.right if self.slides else 0.0

    def __str__(self) -> str:
        sideways = f", sideways {self.sideways:+.2f} m/s" if self.slides else ""
        return f"speed {self.speed:+.2f} m/s, turn {self.turn:+.2f} rad/s{sideways}"


def _rounded(value: float) -> float:
    """Without what adding up tenths leaves behind."""
    return round(value, 6)
