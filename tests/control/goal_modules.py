"""Small modules for tests, in a file of their own so that processes can import them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Annotated

from ubersim.control import Commands, Last, Layout, Module, Process, SensorReading, Sets, Solutions, Tick


class Tilt(SensorReading, sensor="Tilt"):
    """The cart's inclinometer."""


@dataclass(frozen=True)
class Smoothed:
    value: float


@dataclass(frozen=True)
class Wanted:
    speed: float


@dataclass(frozen=True)
class Drive(Commands):
    speed: Annotated[float, Sets("Motor", "Vel")]


class Average(Module):
    """Half old, half new."""

    def update(self, tilt: Tilt, before: Last[Smoothed]) -> Smoothed:
        return Smoothed(tilt.value if before is None else 0.5 * (tilt.value + before.value))


class Raw(Module):
    """As it comes."""

    def update(self, tilt: Tilt) -> Smoothed:
        return Smoothed(float(tilt.value))


class Proportional(Module):
    def __init__(self) -> None:
        self.gain = self.parameter("gain", 3.0, low=0.0, high=50.0)

    def update(self, tilt: Smoothed) -> Wanted:
        self.log("tilt", tilt.value)
        return Wanted(float(self.gain) * tilt.value + 1.0)


class Constantly(Module):
    def update(self, tilt: Smoothed, done: Last[Drive]) -> Wanted:
        return Wanted(2.0 if done is None else 0.9 * done.speed + 0.2)


class Ramp(Module):
    """Runs in every frame."""

    def __init__(self) -> None:
        self._speed = 0.0

    def update(self, tick: Tick, wanted: Wanted | None) -> Drive | None:
        if wanted is None:
            return None
        self._speed += max(-0.05, min(0.05, wanted.speed - self._speed))
        return Drive(self._speed)


class Jump(Module):
    def update(self, wanted: Wanted) -> Drive:
        return Drive(wanted.speed)


class Failing(Module):
    def update(self, wanted: Wanted) -> Drive:
        raise ValueError("this module fails")


see = Solutions("see", Average, Raw)
decide = Solutions("decide", Proportional, Constantly)
move = Solutions("move", Ramp, Jump)


def spread() -> Layout:
    """Given in the wrong order on purpose."""
    return Layout(Process("motion", move), Process("behaviour", decide), Process("perception", see))


class Unborn(Module):
    """Cannot even be made."""

    def __init__(self) -> None:
        raise ValueError("this module cannot be made")

    def update(self, wanted: Wanted) -> Drive:
        raise NotImplementedError


class Vanishing(Module):
    """Takes its process along."""

    def update(self, wanted: Wanted) -> Drive:
        os._exit(3)


class Endless(Module):
    """Never comes back."""

    def update(self, wanted: Wanted) -> Drive:
        while True:
            time.sleep(60)
