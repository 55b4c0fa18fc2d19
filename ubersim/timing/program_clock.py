"""A clock for programs that were written for real time: now, sleep and interval timers, in simulated time.

In a program:

    for frame in robot.clock.every(0.05):        # 20 times a second, however fast the simulation goes
        robot.set("LMotor", "Vel", law(robot.read("Tilt")))
        if stuck(robot):
            robot.clock.sleep(2.0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Generic, Protocol, TypeVar

from ubersim.timing.latency import frame_at
from ubersim.timing.speed import WINDOW, SpeedEstimate


class Timed(Protocol):
    """Something that has a time: a frame."""

    @property
    def time(self) -> float:
        """[s]"""


F = TypeVar("F", bound=Timed)


class ProgramClock(Generic[F]):
    """The clock of one robot's program. Time goes on with frames, and frames with the calls of the program."""

    def __init__(self, next_frame: Callable[[], F | None], step: float, now: float = 0.0, window: int = WINDOW) -> None:
        """`next_frame` lets one pass; the robot tells the clock of each that does."""
        self._next_frame, self._step = next_frame, step
        self.time = now
        """Of the newest frame [s]: exact, and as steady as the frames are."""
        self.estimate = SpeedEstimate(window)
        """Of the simulation's speed."""

    def told(self, time: float) -> None:
        """A frame of that time has come."""
        self.time = time
        self.estimate.update(time, perf_counter())

    def now(self) -> float:
        """What time it is likely to be by now [s]: extrapolated from the newest frame with the estimated speed.

        For programs whose world does not wait for them: real robots, loose servers. In lockstep time stands still
        until the program answers, and `time` is the truth.
        """
        return max(self.time, self.estimate.simulated_at(perf_counter()))

    def real(self, seconds: float) -> float:
        """How long so much simulated time is likely to take by the clock on the wall [s], for timers of other kinds."""
        return self.estimate.duration(seconds)

    def sleep(self, seconds: float) -> F | None:
        """Lets frames pass for so long; returns the last one, or None if there are no more."""
        end = frame_at(self.time, self._step) + frame_at(seconds, self._step)
        frame: F | None = None
        while frame_at(self.time, self._step) < end:
            if (frame := self._next_frame()) is None:
                return None
        return frame

    def every(self, seconds: float) -> Iterator[F]:
        """An interval timer: the first frame at or after each multiple of the interval from now on.

        Intervals that pass while the program is busy with something else are left out.
        """
        begin, last, count = self.time, self.time, 0
        while (frame := self._next_frame()) is not None:
            if frame.time < last:  # time was set back
                begin, count = frame.time, 0
            last, passed = frame.time, frame.time - begin
            if frame_at(passed, self._step) >= frame_at(count * seconds, self._step):
                count = int(passed / seconds + 1e-9) + 1
                yield frame
