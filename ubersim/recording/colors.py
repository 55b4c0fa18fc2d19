"""What robots' solids and lamps looked like, at any time of a log."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ubersim.description import RobotDescription
from ubersim.description.base import Light
from ubersim.geometry import Triple
from ubersim.protocol.properties import SOLID_PROPERTIES
from ubersim.recording.block import Block
from ubersim.recording.log import Log
from ubersim.simulation import Simulation
from ubersim.simulation.snapshot import Snapshot

Solid = tuple[str, str]
"""Robot and solid, or lamp."""
_PARTS = {number: place for place, number in enumerate(SOLID_PROPERTIES.values())}


class Colors:
    """The colours of solids and lamps while commands change them."""

    def __init__(self) -> None:
        self.now: dict[Solid, Triple] = {}

    def execute(self, solid: Solid, number: int, value: float | bytes) -> bool:
        """A command was executed; True if it changed the colour of a solid."""
        if solid not in self.now or isinstance(value, bytes):
            return False
        red, green, blue = (value if _PARTS[number] == part else was for part, was in enumerate(self.now[solid]))
        self.now[solid] = red, green, blue
        return True


def places_of_shapes(simulation: Simulation) -> dict[Solid, int]:
    """Where the shapes of robots' solids are in the simulation's scene, one shape beside the other."""
    world = simulation.description
    first = sum(solid.visible for solid in world.static) + sum(len(body.shown) for body in world.objects)
    solids = ((robot.name, solid) for robot in simulation.robots.values() for solid in robot.paints)
    return {solid: place for place, solid in enumerate(solids, first)}


def places_of_lamps(simulation: Simulation, sources: Sequence[Any]) -> dict[int, tuple[str, Light]]:
    """Robots and their lamps, by place among what shines in the simulation's scene."""
    rows = {body.row for robot in simulation.robots.values() for body in robot.bodies.values()}
    lamps = (
        (robot.name, light)
        for robot in simulation.robots.values()
        for body in robot.description.bodies
        for light in body.lights
        for _ in light.sources()
    )
    carried = [place for place, source in enumerate(sources) if getattr(source, "body", -1) in rows]
    # A scene takes no more lights than it can show, so that the last lamps may not be there.
    return dict(zip(carried, lamps, strict=False))


class ColorHistory:
    """Random access."""

    def __init__(self, log: Log, robots: Mapping[str, RobotDescription]) -> None:
        self._described: dict[Solid, Triple] = {
            (name, solid.name): solid.color
            for name, robot in robots.items()
            for body in robot.bodies
            for solid in body.shown
        }
        self._described |= {
            (name, lamp.name): lamp.color
            for name, robot in robots.items()
            for body in robot.bodies
            for lamp in body.lights
        }
        self._changes: dict[Solid, list[tuple[int, Triple]]] = {}
        for frame, solid, color in self._read(log):
            self._changes.setdefault(solid, []).append((frame, color))

    def at(self, frame: int) -> dict[Solid, Triple]:
        """The colours in this frame of those that are ever painted."""
        found = {}
        for solid, changes in self._changes.items():
            place = bisect_right(changes, frame, key=lambda change: change[0])
            found[solid] = changes[place - 1][1] if place else self._described[solid]
        return found

    def _read(self, log: Log) -> Iterator[tuple[int, Solid, Triple]]:
        """Every change, in order."""
        colors = Colors()
        colors.now = dict(self._described)
        yield from self._restored(colors, log.first, log.start.robots)
        for item in log.items():
            if isinstance(item, Block):
                for frame, component, number, value in item.executed():
                    solid = item.components[component]
                    if colors.execute(solid, number, value):
                        yield frame, solid, colors.now[solid]
            elif item.kind == "restored":
                yield from self._restored(colors, item.frame, Snapshot.from_bytes(item.snapshot_bytes).robots)
            elif item.kind == "joined" and item.frame > log.first:
                yield from self._restored(colors, item.frame, [{"identity": {"name": item.robot}}])

    def _restored(
        self, colors: Colors, frame: int, robots: Iterable[Mapping[str, Any]]
    ) -> Iterator[tuple[int, Solid, Triple]]:
        """Robots look as a snapshot has them, or as their documents do."""
        for state in robots:
            name = state["identity"]["name"]
            for solid in [solid for solid in self._described if solid[0] == name]:
                red, green, blue = state.get("colors", {}).get(solid[1], self._described[solid])
                if colors.now[solid] != (red, green, blue):
                    colors.now[solid] = red, green, blue
                    yield frame, solid, colors.now[solid]
