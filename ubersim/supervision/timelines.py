"""Going back in time: to a snapshot, or to the beginning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ubersim.errors import UberSimError
from ubersim.supervision.command import SupervisorCommand

if TYPE_CHECKING:
    from ubersim.supervision.interventions import Interventions

MOST_SNAPSHOTS = 64
"""That are kept at once; each may hold megabytes of pictures on their way."""


@dataclass(frozen=True, kw_only=True)
class TakeSnapshot(SupervisorCommand, verb="Snapshot"):
    """Keeps the state of everything, to the bit."""

    settled: ClassVar[bool] = True
    label: str
    """Under this name; one of the same name is replaced."""

    def do(self, to: Interventions) -> dict[str, Any]:
        if self.label not in to.snapshots and len(to.snapshots) >= MOST_SNAPSHOTS:
            raise UberSimError(f"Snapshot: {MOST_SNAPSHOTS} are kept already; take one of their labels")
        to.snapshots[self.label] = to.simulation.snapshot()
        return {}


@dataclass(frozen=True, kw_only=True)
class Restore(SupervisorCommand):
    """Goes on from a snapshot, in the frame in which it was taken."""

    settled: ClassVar[bool] = True
    timeless: ClassVar[bool] = False
    label: str
    """Of the snapshot."""

    def do(self, to: Interventions) -> dict[str, Any]:
        if self.label not in to.snapshots:
            known = ", ".join(to.snapshots) or "none"
            raise UberSimError(f"there is no snapshot {self.label!r}; there are {known}")
        to.simulation.restore(to.snapshots[self.label])
        return {}


@dataclass(frozen=True, kw_only=True)
class Reset(SupervisorCommand):
    """Back to frame 0: objects where they started, and robots as if all had joined there, where they spawned."""

    settled: ClassVar[bool] = True
    timeless: ClassVar[bool] = False

    def do(self, to: Interventions) -> dict[str, Any]:
        to.simulation.reset()
        return {}
