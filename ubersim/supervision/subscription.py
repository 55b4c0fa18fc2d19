"""What one supervisor is shown again and again, and when the next picture is due."""

from __future__ import annotations

from ubersim.supervision.ground_truth import PictureContent
from ubersim.timing.latency import NEVER


class Subscription:
    """Pictures in every so many frames, or so many times per second of real time."""

    def __init__(
        self,
        content: PictureContent,
        *,
        now: int,
        every: int = 0,
        hertz: float = 0.0,
        drawings: bool = False,
        logs: bool = False,
    ) -> None:
        self.content = content
        self.drawings = drawings
        """Whether what clients draw is sent as well."""
        self.logs = logs
        """Whether what programs log is sent as well."""
        self.hertz = hertz
        """Pictures per second of real time; 0: as simulated time goes."""
        self._every = every
        self._next_frame = self._multiple(now)
        self.next_time = 0.0
        """When the next picture is due, if real time counts [s]."""
        self._wanted = False
        self._shown: tuple[object, ...] | None = None

    @property
    def next_frame(self) -> int:
        """The frame in which the next picture is due, if simulated time counts."""
        return self._next_frame if self._every else NEVER

    def is_due(self, frame: int) -> bool:
        """Whether a picture is due in this frame."""
        return frame >= self._next_frame if self._every else self._wanted

    def is_news(self, state: tuple[object, ...]) -> bool:
        """Whether there is something to see that the last picture did not show."""
        return state != self._shown

    def forget(self) -> None:
        """There is something new to see even if time stands still."""
        self._shown = None

    def shown(self, frame: int, state: tuple[object, ...]) -> None:
        """A picture was sent, or there was nothing new to see."""
        self._shown, self._wanted = state, False
        if self._every:
            self._next_frame = frame - frame % self._every + self._every

    def jump(self, frame: int) -> None:
        """Time goes on from another frame."""
        self._next_frame = self._multiple(frame)

    def becomes_due(self, now: float) -> bool:
        """Whether the real time of the next picture has come, which is due from then on."""
        if now < self.next_time:
            return False
        self.next_time = max(self.next_time + 1 / self.hertz, now)
        self._wanted = True
        return True

    def _multiple(self, frame: int) -> int:
        """The first frame from there on that is a multiple."""
        return frame + -frame % self._every if self._every else frame
