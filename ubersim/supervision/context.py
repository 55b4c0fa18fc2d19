"""What a supervisor's command may touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ubersim.errors import UberSimError
from ubersim.protocol.picture import EncodedPicture
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.supervision.clock import SupervisedClock
from ubersim.supervision.ground_truth import GroundTruthSource
from ubersim.supervision.subscription import Subscription


class Asker(Protocol):
    """The supervisor whose request this is."""

    def show(self, picture: EncodedPicture) -> None:
        """Sends a picture before the answer."""

    def subscribe(self, subscription: Subscription | None) -> None:
        """Sends pictures from now on, or no more."""


@dataclass(frozen=True)
class Timeline:
    """A log, of which every frame can be gone to."""

    first: int
    last: int
    """Its frames."""
    go: Callable[[int], None]
    """Goes to one of them."""


@dataclass(frozen=True)
class ServerSide:
    """What there is beside the simulation when a server's supervisor asks."""

    clock: SupervisedClock
    """Whether and how fast time goes on."""
    truth: GroundTruthSource
    """Pictures of everything."""
    asker: Asker
    timeline: Timeline | None = None
    """The log that is replayed; None: this is no replay."""


@dataclass(frozen=True)
class CommandContext:
    """What one request may touch."""

    simulation: Simulation
    snapshots: dict[str, Snapshot]
    """What can be restored, by label."""
    served: ServerSide | None = None
    """None: the program that owns the simulation asks, and there is no server."""

    def robot(self, name: str) -> Robot:
        """The robot of that name."""
        robots = self.simulation.robots
        if name not in robots:
            raise UberSimError(f"there is no robot {name!r}; there are {', '.join(robots) or 'none'}")
        return robots[name]

    @property
    def server(self) -> ServerSide:
        """For commands that need one."""
        if self.served is None:
            raise UberSimError("this is for supervisors of a server; here the program itself steps and looks")
        return self.served
