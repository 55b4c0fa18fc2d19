"""Which frames a program is told of that has asked for those with readings: these, and one per second."""

from __future__ import annotations

from ubersim.timing.latency import frames_in

LONGEST_SILENCE = 1000.0
"""Without readings there is a frame after so long [ms]."""


class SparseFrames:
    """The rule, and the last frame that it chose."""

    def __init__(self, step: float, first_frame: int) -> None:
        """The first frame is told in any case."""
        self.silence = max(1, frames_in(LONGEST_SILENCE, step))
        """After so many frames without readings there is one all the same."""
        self.told = first_frame - self.silence
        """The last frame that was told."""

    def begin(self, frame: int) -> None:
        """Time is another: this frame is told, whatever it has."""
        self.told = frame - self.silence

    def tells(self, frame: int, *, readings: bool) -> bool:
        """Whether this frame, which has readings or not, is told."""
        if readings or frame - self.told >= self.silence:
            self.told = frame
            return True
        return False

    @property
    def latest(self) -> int:
        """The last frame for the next to be told, if no readings come."""
        return self.told + self.silence
