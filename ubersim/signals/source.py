"""Whatever has signals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.signals.signal import Signal


class SignalSource(ABC):
    """A file, or a folder, with signals in it."""

    sent: bool = True
    """Whether commands are noted when they are sent; our own logs note them when they are executed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def signal(self, topic: str) -> Signal:
        """One of the signals; an unknown name is an error that lists those that exist."""

    @abstractmethod
    def topics(self) -> list[str]:
        """The names of all signals."""

    def unknown(self, topic: str) -> UberSimError:
        """What to raise for a name that is not there."""
        names = self.topics()
        listed = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
        return UberSimError(f"there is no {topic!r} in {self.path}; there are {listed or 'none'}")
