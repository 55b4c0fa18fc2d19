"""What shines in a simulation: the world's lights, and lamps, which move with their bodies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ubersim.description import BodyDescription
from ubersim.description.base import Light
from ubersim.geometry import Triple
from ubersim.protocol.names import VISIBLE
from ubersim.render import scene as look
from ubersim.simulation.robot import Robot
from ubersim.simulation.world_view import WorldView

_DARK = (0.0, 0.0, 0.0)


class SceneLights:
    """Makes the lights of a scene, again and again as robots come and go and lamps are switched."""

    def __init__(self, simulation: WorldView) -> None:
        self._simulation = simulation
        self._world: look.Lights | None = None

    def of(self, robots: Iterable[Robot]) -> look.Lights:
        """The world's lights first, then those of robots in the order of joining, up to the renderer's limits.

        Beyond them lamps shine without shadows, then not at all.
        """
        if self._world is None:
            self._world = self._without_robots()
        sources = [*self._world.sources, *(source for robot in robots for source in self._of_robot(robot))]
        if len(sources) == len(self._world.sources):
            return self._world
        room = look.MOST_SHADOWS
        for index, source in enumerate(sources[: look.MOST_LIGHTS]):
            sources[index] = replace(source, shadow=source.shadow and room > 0)
            room -= source.shadow
        return replace(self._world, sources=tuple(sources[: look.MOST_LIGHTS]))

    def _without_robots(self) -> look.Lights:
        """A world that names its lights has these and no others; one that names none has the renderer's sun and sky."""
        world, classes = self._simulation.description, self._simulation.materials.radiation
        objects = [
            source
            for body in world.objects
            for source in self._of_body(body, self._simulation.objects[body.name].row, {})
        ]
        ambient = np.array([one.ambient for one in classes.values()])
        if not world.lights:
            plain = look.Lights()
            suns = (replace(sun, radiation=(_mean(sun.color),) * len(classes)) for sun in plain.sources)
            return replace(plain, sources=(*suns, *objects), radiation=tuple(ambient.tolist()))
        sources = [emitted(light, source, classes) for light in world.lights for source in light.sources()]
        everywhere = np.zeros(3)
        for light in world.lights:
            if any(light.ambient()):
                everywhere += light.ambient() if VISIBLE in light.radiation else 0.0
                ambient += [light.intensity * (name in light.radiation) for name in classes]
        x, y, z = map(float, everywhere)
        return look.Lights((*sources, *objects), above=(x, y, z), below=(x, y, z), radiation=tuple(ambient.tolist()))

    def _of_robot(self, robot: Robot) -> Iterator[look.Light]:
        colors = {name: lamp.color for name, lamp in robot.lamps.items()}
        for body in robot.description.bodies:
            if body.lights:
                yield from self._of_body(body, robot.bodies[body.name].row, colors)

    def _of_body(self, body: BodyDescription, row: int, colors: dict[str, Triple]) -> Iterator[look.Light]:
        """Its lamps in the body's frame, whose origin is the centre of mass."""
        center = body.mass_properties().center
        for light in body.lights:
            lamp = replace(light, color=colors.get(light.name, light.color))
            for source in lamp.sources():
                x, y, z = map(float, np.array(source.position) - center)
                placed = replace(source, position=(x, y, z), body=row)
                yield emitted(lamp, placed, self._simulation.materials.radiation)


def emitted(light: Light, source: look.Light, classes: Iterable[str]) -> look.Light:
    """A source of a light, in those of a scene's classes of radiation that the light emits."""
    # One that is switched off is dark in every class; one of another colour shines as it does.
    lit = max(source.color)
    strengths = tuple(lit * (name in light.radiation) for name in classes)
    return replace(source, color=source.color if VISIBLE in light.radiation else _DARK, radiation=strengths)


def _mean(color: Triple) -> float:
    return sum(color) / 3
