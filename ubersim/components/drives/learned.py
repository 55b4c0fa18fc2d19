"""A drive that moves as a robot did in a log."""

from __future__ import annotations

from collections.abc import Iterator

from ubersim.components.drives.chassis import Chassis
from ubersim.components.drives.controller import MotionController, Velocity
from ubersim.components.drives.fields import FASTEST, speed, turn_rate
from ubersim.components.drives.motion_network import LINEAR, MOST_UNITS, UNIT, Motion, MotionNetwork, unit_count
from ubersim.description.component import Flaw, component
from ubersim.description.drives import MotionDescription
from ubersim.description.fields import number, numbers, text
from ubersim.errors import UberSimError

AT_REST = 0.01
"""What is told to stand and is slower than this stands [m/s, rad/s]."""


@component
class LearnedDrive(MotionDescription):
    """Told by its velocity in its own axes; how it follows is what `ubersim learn-motion` found in a log."""

    speed_x: float = speed("to the right", index=("SpeedX", "Sideways"))
    speed_y: float = speed("forward", index=("SpeedY", "Speed"))
    turn_rate: float = turn_rate()
    period: float = number("the time that the network looks ahead", unit="s", low=0.005, high=1, default=0.01)
    weights: tuple[float, ...] = numbers(
        f"of the network: {LINEAR} for its linear part, and {UNIT} for each hidden unit",
        low=-1e9,
        high=1e9,
        group=1,
        most=LINEAR + UNIT * MOST_UNITS,
        default=(),
    )
    file: str | None = text(
        "what `ubersim learn-motion` wrote, beside the document, instead of Period and Weights", default=None
    )

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if self.file is not None:
            yield Flaw("a drive's file has to be inlined before it can be read: load the document as a file", "file")
        elif unit_count(len(self.weights)) is None:
            needed = f"{LINEAR}, and {UNIT} for each of up to {MOST_UNITS} hidden units"
            yield Flaw(f"holds {len(self.weights)} numbers; a network has {needed}: give Weights, or a File", "weights")

    def build(self, chassis: Chassis) -> MotionController:
        return LearnedController(self, chassis)


class LearnedController(MotionController):
    """Asks the network once per period, or when a command comes; in between its velocity changes evenly."""

    memory = (*MotionController.memory, "rate", "left")
    speed_x: float
    speed_y: float
    turn_rate: float

    def __init__(self, description: LearnedDrive, chassis: Chassis) -> None:
        super().__init__(description, chassis)
        self._network, self._period = MotionNetwork(description.weights), description.period
        ratio = self._period / chassis.step
        self._frames, self._rounds = max(1, round(ratio)), max(1, round(1 / ratio))
        if abs(self._frames / self._rounds / ratio - 1) > 1e-6:
            raise UberSimError(
                f"{description.name}: its Period of {1000 * self._period:g} ms is neither a multiple nor a part of the "
                f"simulation's step of {1000 * chassis.step:g} ms"
            )
        self.rate: Velocity = (0.0, 0.0, 0.0)
        """How its velocity changes now, per second."""
        self.left = 0
        """Frames until the network is asked again."""

    def set(self, number: int, value: float, frame: int) -> None:
        super().set(number, value, frame)
        self.left = 0

    def advance(self) -> tuple[Velocity, Velocity]:
        if self.left == 0 or self.blocked:
            self.left = self._frames
            if self._rounds > 1:
                return self._rush()
            self._ask()
        self.left -= 1
        step, before = self.chassis.step, self.now
        after = self._bounded(tuple(v + a * step for v, a in zip(before, self.rate, strict=True)))
        return after, tuple((v + w) / 2 for v, w in zip(before, after, strict=True))

    def _rush(self) -> tuple[Velocity, Velocity]:
        """A frame that is longer than the period: several periods in one."""
        self.left, means = 0, [0.0, 0.0, 0.0]
        for _ in range(self._rounds):
            self._ask()
            after = self._bounded(tuple(v + a * self._period for v, a in zip(self.now, self.rate, strict=True)))
            means = [mean + (v + w) / 2 / self._rounds for mean, v, w in zip(means, self.now, after, strict=True)]
            self.now = after
        return self.now, tuple(means)

    def _ask(self) -> None:
        command: Motion = self.speed_x, self.speed_y, self.turn_rate
        if not any(command) and all(abs(part) < AT_REST for part in self.now):
            self.now = self.rate = (0.0, 0.0, 0.0)
            return
        right, forward, turn = self.now
        last = (self.rate[0] * self._period, self.rate[1] * self._period, self.rate[2] * self._period)
        change = self._network.change((right, forward, turn), command, last)
        self.rate = tuple(part / self._period for part in change)

    @staticmethod
    def _bounded(velocity: Velocity) -> Velocity:
        """A network may say anything where it has learned nothing."""
        return tuple(max(-FASTEST, min(FASTEST, part)) for part in velocity)

    def restore(self, state: dict[str, object]) -> None:
        super().restore(state)
        self.rate = tuple(self.rate)
