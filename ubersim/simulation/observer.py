"""Told what happens in a simulation: recorders, digests, films, test histories. Observers change nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ubersim.protocol.log_entries import LogEntry
from ubersim.protocol.parameters import Declaration
from ubersim.simulation.applied_force import AppliedForce
from ubersim.simulation.robot import Command, Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.timing.latency import NEVER, LatencyModel


class Observer:
    """Told of everything that physics depends on, in the order in which it happens, and of what robots are told.

    An observer overrides what it wants to know, and joins `Simulation.observers`.
    """

    next_frame: int = NEVER
    """The next frame that it wants to see, begin or settled; physics runs no farther at once.

    An observer moves it on in whichever of `begun` and `settled` it overrides.
    """

    hears_programs: bool = False
    """Whether it wants to know what programs log, and declare."""

    def begun(self, frame: int) -> None:
        """A frame has begun, at or after `next_frame`: sensors were sampled, commands have yet to be executed."""

    def settled(self, frame: int) -> None:
        """The same frame, after robots have joined and supervisors were served: so it will be executed."""

    def joined(self, robot: Robot) -> None:
        """A robot is in the world, and has had its first readings."""

    def left(self, robot: Robot) -> None:
        """A robot has just been taken out of the world."""

    def sensed(self, robot: Robot) -> None:
        """Readings were delivered to a robot in this frame."""

    def executed(self, robot: Robot, commands: Sequence[Command]) -> None:
        """Commands were executed in this frame."""

    def latency_changed(self, robot: Robot, sensor: str, latency: LatencyModel) -> None:
        """From this frame on commands take so long, or the readings of that sensor."""

    def exploded(self) -> None:
        """The step of this frame failed, and was undone."""

    def pushed(self, force: AppliedForce) -> None:
        """A force acts from this frame on."""

    def objects_reset(self) -> None:
        """The world's free objects were put back to where they started."""

    def restoring(self) -> None:
        """Robots leave and join now for the sake of a snapshot, which is restored then."""

    def restored(self, snapshot: Snapshot, before: int) -> None:
        """The simulation goes on from a snapshot, in whatever frame that was taken; until then it was in `before`."""

    def intervened(self, verb: str, arguments: Mapping[str, Any]) -> None:
        """A supervisor did something that none of these tells of; executing that command would do it again.

        What it `Set` has been executed before, like a command; this says whose it was.
        """

    def declared(self, robot: Robot, frame: int, parameter: Declaration) -> None:
        """A robot's program declared a parameter while it thought about that frame."""

    def logged(self, robot: Robot, frame: int, entry: LogEntry) -> None:
        """A robot's program logged something while it thought about that frame."""

    def marked(self, label: str) -> None:
        """This instant was given a name."""
