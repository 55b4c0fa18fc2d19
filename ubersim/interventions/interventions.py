"""All deeds by name, and the one place where they are executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ubersim.errors import UberSimError
from ubersim.interventions.deed import Deed
from ubersim.interventions.moving import Push, Teleport
from ubersim.interventions.population import Remove, Spawn
from ubersim.interventions.settings import Event, Latency, Set
from ubersim.interventions.timelines import Reset, Restore, Snapshot
from ubersim.simulation import Simulation
from ubersim.snapshot import Snapshot as State

DEEDS: Mapping[str, type[Deed]] = {
    deed.__name__: deed
    for deed in (Teleport, Push, Spawn, Remove, Latency, Set, Snapshot, Restore, Reset, Event)
}
"""By name."""
_TOLD_OTHERWISE = {Push, Spawn, Remove, Snapshot, Restore, Reset, Event}
"""Deeds of which observers hear all from the simulation itself, or that change nothing."""


class Interventions:
    """The deeds that are done to one simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.snapshots: dict[str, State] = {}
        """What can be restored, by label."""

    def execute(self, verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Does it in the current frame, and returns what there is to say about it."""
        return self.do(self.read(verb, arguments))

    @staticmethod
    def read(verb: str, arguments: Mapping[str, Any]) -> Deed:
        """Checks the arguments as far as that is possible without the simulation."""
        if verb not in DEEDS:
            raise UberSimError(f"there is no {verb!r}; there are {', '.join(DEEDS)}")
        return DEEDS[verb].read(arguments)

    def do(self, deed: Deed) -> dict[str, Any]:
        """Does a deed, and lets the observer know."""
        result = deed.do(self)
        observer = self.simulation.observer
        if observer is not None and type(deed) not in _TOLD_OTHERWISE:
            observer.intervened(type(deed).__name__, deed.arguments())
        return result
