"""What the referee has decided, as a robot hears it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ubersim.components.sensors.base import Mount, SensorDescription
from ubersim.description.component import component
from ubersim.protocol.quantity import Quantity

LONGEST = 256
"""Bytes of what a client may ask for."""


@component
class RefereeSensor(SensorDescription):
    """Tells the state of the match as seen from the robot's team; without a referee, zeros. Usually it is `Referee`.

    `state`: 0 no match, 1 stopped, 2 ready (the ball is placed, the whistle is to come), 3 play, 4 half time, 5 over.
    `restart`: 0 none, 1 kick-off, 2 throw-in, 3 goal kick, 4 corner, 5 free kick, 6 dropped ball. A payload asks
    the referee for something, if the match allows that to clients; `Noise` has no meaning here.
    """

    dtype = "<f4"
    reading = (
        "12 f32: state, restart, whose the restart is (1 ours, -1 theirs, 0 nobody's), the direction in which we play "
        "along y (1 or -1), our goals, theirs, the half, seconds left in it, where the ball was put x y [m], "
        "decisions so far, the robot's number"
    )
    quantities = (
        Quantity("state"),
        Quantity("restart"),
        Quantity("ours"),
        Quantity("direction"),
        Quantity("goals.ours"),
        Quantity("goals.theirs"),
        Quantity("half"),
        Quantity("left", "s"),
        Quantity("place.x", "m"),
        Quantity("place.y", "m"),
        Quantity("decisions"),
        Quantity("number"),
    )
    payload: ClassVar[str] = (
        "what a client asks of the referee, as text: `halt`, `start`, `reset`, `ball X Y`, `goal home`, `goal away`"
    )

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.quantities),)

    def decoded(self, payload: bytes) -> str:
        if len(payload) > LONGEST:
            raise ValueError(f"it has up to {LONGEST} bytes")
        return payload.decode()  # a UnicodeDecodeError is a ValueError

    def build(self, mount: Mount, rng: np.random.Generator) -> Whistle:
        return Whistle(mount)


class Whistle:
    """The device."""

    def __init__(self, mount: Mount) -> None:
        self._there = mount.surroundings
        self._robot = mount.robot

    def sample(self) -> bytes:
        """What the referee says now."""
        referee = self._there.referee
        told = [0.0] * len(RefereeSensor.quantities) if referee is None else referee.reading(self._robot)
        return np.array(told, dtype="<f4").tobytes()

    def execute(self, payload: bytes, frame: int) -> None:
        """Asks for something."""
        if self._there.referee is not None:
            self._there.referee.ask(self._robot, payload)

    def set(self, number: int, value: float) -> None:
        """There is no noise to set."""

    def state(self) -> dict[str, Any]:
        """Nothing is to be kept."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing was kept."""
