"""A simulation under test: it goes on as far as the test says, remembers, and says what happened when it fails."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.testing.contact_report import contact_account, motion_account
from ubersim.testing.history import History, Moment
from ubersim.timing.latency import frame_at

__tracebackhide__ = True  # a failure is in the test's own line; pytest --full-trace shows these, too

PERIOD = 0.01
"""Simulated time between two samples, and between two looks at a condition [s]."""
Condition = Callable[[], Any]


class Trial(ABC):
    """What tests of programs in this process and of programs of their own have in common. All times are simulated."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        """For a look at everything, while time stands still: between any two calls of the trial."""
        self.history = History(simulation, PERIOD)
        simulation.observers.append(self.history)
        self.subjects: dict[str, None] = {}
        """The bodies that the test has looked at since it last let time go on, or that its failed assertion names."""

    @property
    def time(self) -> float:
        """[s]"""
        return self.simulation.time

    # Time

    @abstractmethod
    def _advance(self, frames: int) -> None:
        """Simulates that many frames."""

    def step(self, frames: int = 1) -> None:
        """Simulates that many frames."""
        for _ in self._go(self.simulation.frame + frames):
            pass

    def run(self, seconds: float) -> None:
        """Simulates for that long."""
        self.step(frame_at(seconds, self.simulation.step_size))

    def run_until(self, condition: Condition, timeout: float) -> float:
        """Simulates until the condition is true; returns the time [s]. It is looked at every 10 ms.

        It fails when that takes longer than `timeout` seconds of simulated time.
        """
        end = self.simulation.frame + frame_at(timeout, self.simulation.step_size)
        for _ in self._go(end):
            if condition():
                return self.time
        raise AssertionError(f"{_name(condition)} was not true within {timeout:g} s\n{self._whom_it_is_about()}")

    def hold(self, condition: Condition, seconds: float) -> None:
        """Simulates for that long, and fails as soon as the condition is false. It is looked at every 10 ms."""
        start = self.time
        for _ in self._go(self.simulation.frame + frame_at(seconds, self.simulation.step_size)):
            if not condition():
                held = self.time - start
                raise AssertionError(
                    f"{_name(condition)} was true for {held:g} s of {seconds:g} s\n{self._whom_it_is_about()}"
                )

    def _go(self, end: int) -> Iterator[None]:
        """On to a frame; stops at every multiple of the period on the way, and at both ends."""
        every = self.history.every
        self.subjects.clear()
        self.history.sample()
        yield
        while (frame := self.simulation.frame) < end:
            self._advance(min(end, frame - frame % every + every) - frame)
            if self.simulation.frame % every:  # the history keeps multiples by itself
                self.history.sample()
            yield

    # Interventions

    @abstractmethod
    def intervene(self, verb: str, **arguments: Any) -> None:
        """Executes a supervisor command in this frame, as docs/protocol.md describes them."""

    def push(self, body: str, force: Sequence[float], seconds: float) -> None:
        """Lets a force act on `Robot/Body`, or on an object [N, world axes]."""
        self.intervene("Push", body=body, force=[float(part) for part in force], seconds=seconds)

    def teleport(self, thing: str, position: Sequence[float], heading_degrees: float | None = None) -> None:
        """Puts a robot or an object somewhere else, at rest [m]."""
        turn = {} if heading_degrees is None else {"heading": math.radians(heading_degrees)}
        self.intervene("Teleport", thing=thing, position=[float(part) for part in position], **turn)

    # Looking

    def see(self, body: str) -> Moment:
        """Where `Robot/Body` or an object is, how it is turned and how it moves; a robot alone is its first body."""
        self.history.sample()
        name = self._full(body)
        self.subjects[name] = None
        return self.history.now(name)

    def tilt(self, body: str) -> float:
        """How far a body's up axis is from the world's [degrees]."""
        return self.see(body).tilt

    def touches(self, one: str, other: str = "World") -> bool:
        """Whether two bodies touched in the last step; `World` is all that never moves, as the ground."""
        self.history.sample()
        pair = self._pair(one, other)
        self.subjects.update(dict.fromkeys(name for name in pair if name != "World"))
        return pair in self.history.touching_now()

    # Assertions

    def assert_tilt(self, body: str, *, below: float) -> None:
        """The body is tilted by less than that [degrees]."""
        tilt = self.tilt(body)
        if not tilt < below:
            self._fail_motion(body, f"is tilted by {tilt:.2f}°, not by less than {below:g}°")

    def assert_pose(
        self,
        body: str,
        position: Sequence[float | None] = (),
        *,
        within: float = 0.01,
        heading: float | None = None,
        within_degrees: float = 1.0,
    ) -> None:
        """The body is there [m], and looks that way [degrees]; a coordinate that is None may be anything."""
        now = self.see(body)
        known = [(place, goal) for place, goal in zip(now.position, position, strict=False) if goal is not None]
        distance = math.hypot(*(float(place) - goal for place, goal in known))
        if not distance <= within:
            wanted = ", ".join("any" if part is None else f"{part:g}" for part in position)
            self._fail_motion(body, f"is {distance:.4f} m away from ({wanted}), farther than {within:g} m")
        if heading is not None:
            turn = abs((now.heading - heading + 180.0) % 360.0 - 180.0)
            if not turn <= within_degrees:
                self._fail_motion(body, f"looks {turn:.2f}° away from {heading:g}°, more than {within_degrees:g}°")

    def assert_contact(self, one: str, other: str = "World") -> None:
        """They touched in the last step."""
        if not self.touches(one, other):
            self._fail_contact(one, other, "do not touch")

    def assert_no_contact(self, one: str, other: str = "World") -> None:
        """They did not touch in the last step."""
        if self.touches(one, other):
            self._fail_contact(one, other, "touch")

    def _fail_motion(self, body: str, what: str) -> None:
        name = self._full(body)
        self.subjects = {name: None}
        raise AssertionError(f"{name} {what}, at {self.time:.3f} s\n{motion_account(name, self.history)}")

    def _fail_contact(self, one: str, other: str, what: str) -> None:
        pair = self._pair(one, other)
        self.subjects = dict.fromkeys(name for name in pair if name != "World")
        account = contact_account(pair, self.history)
        raise AssertionError(f"{' and '.join(pair)} {what}, at {self.time:.3f} s\n{account}")

    def _whom_it_is_about(self) -> str:
        """The last second of the bodies that the test has looked at, or else of every robot's first."""
        first = [f"{robot.name}/{next(iter(robot.bodies))}" for robot in self.simulation.robots.values()]
        return "\n".join(motion_account(name, self.history) for name in list(self.subjects) or first)

    def _full(self, body: str) -> str:
        """`Segway` -> `Segway/MainBody`."""
        found = self.simulation.body(body)
        for robot in self.simulation.robots.values():
            for name, part in robot.bodies.items():
                if part is found:
                    return f"{robot.name}/{name}"
        return body

    def _pair(self, one: str, other: str) -> tuple[str, str]:
        first, second = sorted(name if name == "World" else self._full(name) for name in (one, other))
        if first == second:
            raise UberSimError(f"{first} and {second} are the same")
        return first, second

    @abstractmethod
    def close(self) -> None:
        """Ends it."""


def _name(condition: Condition) -> str:
    name = getattr(condition, "__name__", "")
    return "the condition" if name in ("", "<lambda>") else name
