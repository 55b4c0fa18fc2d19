"""Simulated time in the hands of supervisors: it stands still, goes on for so many frames, or just goes on."""

from __future__ import annotations

from collections.abc import Callable

from ubersim.simulation import Simulation
from ubersim.timing.latency import NEVER


class SupervisedClock:
    """Says whether time goes on; the loop that lets it pass asks for that in frames that it has to look at."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        goes_by_itself: Callable[[], bool],
        rate: Callable[[], float],
        change_rate: Callable[[float], None],
    ) -> None:
        """`goes_by_itself`: whether time goes on if no supervisor says anything, because robots are here."""
        self._simulation = simulation
        self._goes_by_itself = goes_by_itself
        self._paused = False
        self._resumed = False
        self.end_of_step: int | None = None
        """The frame in which time stands still again; None if it does not go on for a number of frames."""
        self.rate = rate
        """Times real time, now; 0: as fast as it goes."""
        self.change_rate = change_rate
        """Times real time, from now on; 0: as fast as it goes."""

    @property
    def stands_still(self) -> bool:
        """Whether time does not go on."""
        return self._paused or not (self._resumed or self.end_of_step is not None or self._goes_by_itself())

    @property
    def next_frame(self) -> int:
        """The next frame in which it has something to do."""
        return NEVER if self.end_of_step is None else self.end_of_step

    def pause(self) -> None:
        """Lets time stand still, and ends a step."""
        self._paused, self.end_of_step = True, None

    def resume(self) -> None:
        """Lets time go on, also without robots, and ends a step."""
        self._paused, self._resumed, self.end_of_step = False, True, None

    def step(self, frames: int) -> None:
        """Lets time go on for so many frames."""
        self._paused, self.end_of_step = False, self._simulation.frame + frames

    def end_step_if_due(self) -> None:
        """Lets time stand still if the last frame of a step is reached."""
        if self._simulation.frame >= self.next_frame:
            self.pause()

    def shift(self, frames: int) -> None:
        """The same instant has a frame number that is larger by this."""
        if self.end_of_step is not None:
            self.end_of_step += frames

    def release(self) -> None:
        """No supervisor is left who could ask for time to go on, or to stand still."""
        self._paused, self._resumed, self.end_of_step = False, False, None
