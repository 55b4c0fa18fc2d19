"""All deeds by name, and the one place where they are executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.snapshot import Snapshot
from ubersim.supervision.command import SupervisorCommand
from ubersim.supervision.moving import Push, Teleport
from ubersim.supervision.population import Remove, Spawn
from ubersim.supervision.settings import Event, Set, SetLatency
from ubersim.supervision.timelines import Reset, Restore, TakeSnapshot

DEEDS: Mapping[str, type[SupervisorCommand]] = {
    deed.verb: deed for deed in (Teleport, Push, Spawn, Remove, SetLatency, Set, TakeSnapshot, Restore, Reset, Event)
}
"""By name."""
_TOLD_OTHERWISE = {Push, Spawn, Remove, TakeSnapshot, Restore, Reset, Event}
"""Deeds of which observers hear all from the simulation itself, or that change nothing."""


class Interventions:
    """The deeds that are done to one simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.snapshots: dict[str, Snapshot] = {}
        """What can be restored, by label."""

    def execute(self, verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Does it in the current frame, and returns what there is to say about it."""
        return self.do(self.read(verb, arguments))

    @staticmethod
    def read(verb: str, arguments: Mapping[str, Any]) -> SupervisorCommand:
        """Checks the arguments as far as that is possible without the simulation."""
        if verb not in DEEDS:
            raise UberSimError(f"there is no {verb!r}; there are {', '.join(DEEDS)}")
        return DEEDS[verb].read(arguments)

    def do(self, deed: SupervisorCommand) -> dict[str, Any]:
        """Does a deed, and lets the observers know."""
        result = deed.do(self)
        if type(deed) not in _TOLD_OTHERWISE:
            for observer in self.simulation.observers:
                observer.intervened(deed.verb, deed.arguments())
        return result
