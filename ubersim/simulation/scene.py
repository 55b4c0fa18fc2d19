"""What there is to see in a simulation, as the renderer wants it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ubersim.description import BodyDescription, WorldDescription
from ubersim.description.base import Solid
from ubersim.errors import RenderError
from ubersim.geometry import Array, rotation_about
from ubersim.render import Scene, Shape
from ubersim.render import scene as look
from ubersim.simulation.object_ids import GROUND
from ubersim.simulation.world_view import WorldView


def scene_of(simulation: WorldView) -> Scene:
    """What there is to see, as the renderer wants it; object ids are those of `ObjectIds`."""
    world, ids = simulation.description, simulation.object_ids
    shapes: list[Shape] = []
    for number, solid in enumerate(world.static, ids.first_static):
        shapes.append(_shape(solid, number, -1, np.zeros(3)))
    for number, body in enumerate(world.objects, ids.first_object):
        shapes += _shapes_of_body(body, number, simulation.objects[body.name].row)
    for robot in simulation.robots.values():
        for number, body in enumerate(robot.description.bodies, ids.first_of(robot.name)):
            shapes += _shapes_of_body(body, number, robot.bodies[body.name].row)
    shapes += _paint(world)
    return repainted(Scene(tuple(shapes), _ground(world), _sky(world), _lights(world)), simulation)


def repainted(scene: Scene, simulation: WorldView) -> Scene:
    """A scene of this simulation with colours as they are now; no body has come or gone since it was made."""
    shapes = list(scene.shapes)
    world = simulation.description
    place = len(world.static) + sum(len(body.solids) for body in world.objects)
    for robot in simulation.robots.values():
        for color in robot.colors().values():
            if shapes[place].color != color:
                shapes[place] = replace(shapes[place], color=color)
            place += 1
    return replace(scene, shapes=tuple(shapes))


def _paint(world: WorldDescription) -> Iterator[Shape]:
    """The markings; they count as ground."""
    for marking in world.markings:
        for strip in marking.strips():
            turn = look.rotation_rows(rotation_about(2, strip.heading))
            yield Shape("quad", (strip.length, strip.width), marking.color, -1, strip.center, turn, GROUND)


def _shapes_of_body(body: BodyDescription, number: int, row: int) -> Iterator[Shape]:
    center = body.mass_properties().center
    for solid in body.solids:
        yield _shape(solid, number, row, center)


def _shape(solid: Solid, number: int, row: int, center: Array) -> Shape:
    pose, outline = solid.pose, solid.outline()
    place, (x, y, z) = _triple(pose.position - center), map(_triple, pose.rotation)
    mesh = None if outline.mesh is None else look.TriangleMesh(*outline.mesh)
    return Shape(outline.kind, outline.size, solid.color, row, place, (x, y, z), number, mesh)


def _ground(world: WorldDescription) -> look.GroundPlane | None:
    """Tiles of two shades of the world's colour, with light joints, so that a camera sees how fast it moves."""
    if world.ground is None:
        return None
    color = np.array(world.ground.color)
    second, line = _triple(0.92 * color), _triple(color + 0.25 * (1 - color))
    tile = world.ground.tile
    if not tile:
        return look.GroundPlane(color=world.ground.color, tile=0.0, line_width=0.0, object_id=GROUND)
    return look.GroundPlane(color=world.ground.color, second_color=second, tile=tile, line_color=line, object_id=GROUND)


def _sky(world: WorldDescription) -> look.Sky:
    """The world's colour above, and haze towards the horizon."""
    color = np.array(world.sky)
    return look.Sky(zenith=world.sky, horizon=_triple(color + 0.6 * (1 - color)))


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = map(float, values)
    return x, y, z


def _lights(world: WorldDescription) -> look.Lights:
    """A world that names its lights has these and no others; one that names none has the renderer's sun and sky."""
    if not world.lights:
        return look.Lights()
    sources: list[look.Light] = []
    ambient = np.zeros(3)
    for light in world.lights:
        sources += light.sources()
        ambient += light.ambient()
    everywhere = _triple(ambient)
    try:
        return look.Lights(tuple(sources), above=everywhere, below=everywhere)
    except ValueError as error:
        raise RenderError(f"this world's lights cannot be rendered: {error}") from None
