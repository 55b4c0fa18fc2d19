"""What there is to see in a simulation, as the renderer wants it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ubersim.description import BodyDescription, WorldDescription
from ubersim.description.base import MeshSkin, Outline, Solid
from ubersim.errors import RenderError
from ubersim.geometry import Array, rotation_about
from ubersim.render import PlacedGroup, Scene, Shape, ShapeGroup, TriangleMesh, rotation_rows
from ubersim.render import scene as look
from ubersim.simulation.object_ids import GROUND
from ubersim.simulation.robot import Robot
from ubersim.simulation.world_view import WorldView


class SceneBuilder:
    """Makes a simulation's scene, again and again as robots come and go; each robot's shapes are made once."""

    def __init__(self, simulation: WorldView) -> None:
        self._simulation = simulation
        self._world: Scene | None = None
        self._groups: dict[Robot, ShapeGroup] = {}

    def scene(self) -> Scene:
        """What there is to see now; object ids are those of `ObjectIds`."""
        if self._world is None:
            self._world = _without_robots(self._simulation)
        robots, known, first_of = self._simulation.robots, self._groups, self._simulation.object_ids.first_of
        self._groups = {robot: known.get(robot) or _group(robot) for robot in robots.values()}
        # A robot's bodies were made one after the other, so that their rows follow each other.
        groups = (
            PlacedGroup(group, next(iter(robot.bodies.values())).row, first_of(robot.name))
            for robot, group in self._groups.items()
        )
        solids, markings = self._world.groups
        return replace(self._world, groups=(solids, *groups, markings))

    def repaint(self) -> None:
        """Looks which robots have other colours than before."""
        self._groups = {robot: _repainted(robot, group) for robot, group in self._groups.items()}


def scene_of(simulation: WorldView) -> Scene:
    """What there is to see, one shape beside the other."""
    return SceneBuilder(simulation).scene().flat()


def solid_names(simulation: WorldView) -> dict[str, str]:
    """Names of the world's static solids by the numbers that their shapes have, as JSON has keys."""
    solids = enumerate(simulation.description.static, simulation.object_ids.first_static)
    return {str(number): solid.name for number, solid in solids}


def _without_robots(simulation: WorldView) -> Scene:
    """With two groups: solids, and markings on the ground."""
    world, ids = simulation.description, simulation.object_ids
    static = ((number, solid) for number, solid in enumerate(world.static, ids.first_static) if solid.visible)
    shapes = [_shape(solid, number, -1, np.zeros(3)) for number, solid in static]
    for number, body in enumerate(world.objects, ids.first_object):
        shapes += _shapes_of_body(body, number, simulation.objects[body.name].row)
    groups = (PlacedGroup(ShapeGroup(tuple(shapes)), 0, 0), PlacedGroup(ShapeGroup(tuple(_paint(world))), 0, 0))
    return Scene((), _ground(world), _sky(world), _lights(world), groups)


def _group(robot: Robot) -> ShapeGroup:
    bodies = enumerate(robot.description.bodies)
    shapes = tuple(shape for number, body in bodies for shape in _shapes_of_body(body, number, number))
    return _repainted(robot, ShapeGroup(shapes))


def _repainted(robot: Robot, group: ShapeGroup) -> ShapeGroup:
    """The same group, or one with the colours of now."""
    colors = robot.colors().values()
    if all(shape.color == color for shape, color in zip(group.members, colors, strict=True)):
        return group
    return ShapeGroup(tuple(replace(shape, color=color) for shape, color in zip(group.members, colors, strict=True)))


def _paint(world: WorldDescription) -> Iterator[Shape]:
    """The markings; they count as ground."""
    for marking in world.markings:
        for strip in marking.strips():
            turn = rotation_rows(rotation_about(2, strip.heading))
            yield Shape("quad", (strip.length, strip.width), marking.color, -1, strip.center, turn, GROUND)


def _shapes_of_body(body: BodyDescription, number: int, row: int) -> Iterator[Shape]:
    center = body.mass_properties().center
    for solid in body.shown:
        yield _shape(solid, number, row, center)


def _shape(solid: Solid, number: int, row: int, center: Array) -> Shape:
    pose, outline = solid.pose, solid.outline()
    place, (x, y, z) = _triple(pose.position - center), map(_triple, pose.rotation)
    mesh = None if outline.mesh is None else triangle_mesh(outline)
    return Shape(outline.kind, outline.size, solid.color, row, place, (x, y, z), number, mesh)


def triangle_mesh(outline: Outline) -> TriangleMesh:
    """The mesh of a solid that is one, with its colours."""
    assert outline.mesh is not None
    skin = outline.skin or MeshSkin()
    return TriangleMesh(*outline.mesh, tints=skin.tints, places=skin.places, texture=skin.texture)


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
