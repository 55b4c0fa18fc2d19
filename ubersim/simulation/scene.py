"""What there is to see in a simulation, as the renderer wants it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from ubersim.description import BodyDescription, RobotDescription, WorldDescription
from ubersim.description.base import MeshSkin, Outline, Solid
from ubersim.description.radiation import RadiationClass
from ubersim.geometry import Array, rotation_about
from ubersim.render import PlacedGroup, Scene, Shape, ShapeGroup, TriangleMesh, rotation_rows
from ubersim.render import scene as look
from ubersim.render.geometry import Geometry, shared_geometry
from ubersim.simulation.object_ids import GROUND
from ubersim.simulation.robot import Robot
from ubersim.simulation.scene_lights import SceneLights
from ubersim.simulation.world_view import WorldView

Classes = Collection[RadiationClass]
_HAZE = 0.6
"""Share of white in the sky at the horizon by day."""
_looks: WeakKeyDictionary[RobotDescription, list[Geometry]] = WeakKeyDictionary()


class SceneBuilder:
    """Makes a simulation's scene, again and again as robots come and go; each robot's shapes are made once."""

    def __init__(self, simulation: WorldView) -> None:
        self._simulation = simulation
        self._world: Scene | None = None
        self._groups: dict[Robot, ShapeGroup] = {}
        self._lights = SceneLights(simulation)

    def scene(self) -> Scene:
        """What there is to see now; object ids are those of `ObjectIds`."""
        if self._world is None:
            self._world = _without_robots(self._simulation)
        robots, known, first_of = self._simulation.robots, self._groups, self._simulation.object_ids.first_of
        classes = self._simulation.materials.radiation.values()
        self._groups = {robot: known.get(robot) or _group(robot, classes) for robot in robots.values()}
        # A robot's bodies were made one after the other, so that their rows follow each other.
        groups = (
            PlacedGroup(group, next(iter(robot.bodies.values())).row, first_of(robot.name))
            for robot, group in self._groups.items()
        )
        solids, markings = self._world.groups
        return replace(self._world, groups=(solids, *groups, markings), lights=self._lights.of(robots.values()))

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
    world, ids, materials = simulation.description, simulation.object_ids, simulation.materials
    classes = materials.radiation.values()
    static = ((number, solid) for number, solid in enumerate(world.static, ids.first_static) if solid.visible)
    shapes = [_shape(solid, number, -1, np.zeros(3), classes) for number, solid in static]
    for number, body in enumerate(world.objects, ids.first_object):
        shapes += _shapes_of_body(body, number, simulation.objects[body.name].row, classes)
    ground = _ground(world, classes)
    paint = _paint(world, classes)
    groups = (PlacedGroup(ShapeGroup(tuple(shapes)), 0, 0), PlacedGroup(ShapeGroup(tuple(paint)), 0, 0))
    return Scene((), ground, _sky(world, classes), look.Lights(), groups, tuple(materials.radiation))


def _group(robot: Robot, classes: Classes) -> ShapeGroup:
    bodies = enumerate(robot.description.bodies)
    shapes = tuple(shape for number, body in bodies for shape in _shapes_of_body(body, number, number, classes))
    return _repainted(robot, ShapeGroup(shapes))


def _repainted(robot: Robot, group: ShapeGroup) -> ShapeGroup:
    """The same group, or one with the colours of now."""
    colors = robot.colors().values()
    if all(shape.color == color for shape, color in zip(group.members, colors, strict=True)):
        return group
    return ShapeGroup(tuple(replace(shape, color=color) for shape, color in zip(group.members, colors, strict=True)))


def _paint(world: WorldDescription, classes: Classes) -> Iterator[Shape]:
    """The markings; they count as ground."""
    for marking in world.markings:
        radiation = tuple(one.of(marking.material) for one in classes)
        for strip in marking.strips():
            turn = rotation_rows(rotation_about(2, strip.heading))
            size = strip.length, strip.width
            yield Shape("quad", size, marking.color, -1, strip.center, turn, GROUND, radiation=radiation)


def _shapes_of_body(body: BodyDescription, number: int, row: int, classes: Classes) -> Iterator[Shape]:
    center = body.mass_properties().center
    for solid in body.shown:
        yield _shape(solid, number, row, center, classes)


def _shape(solid: Solid, number: int, row: int, center: Array, classes: Classes) -> Shape:
    pose, outline = solid.pose, solid.outline()
    place, (x, y, z) = _triple(pose.position - center), map(_triple, pose.rotation)
    mesh = None if outline.mesh is None else triangle_mesh(outline)
    radiation = tuple(one.of(solid.material) for one in classes)
    return Shape(outline.kind, outline.size, solid.color, row, place, (x, y, z), number, mesh, radiation)


def prepare_look(robot: RobotDescription) -> None:
    """Works out what drawing its meshes needs, which takes long: before, in any thread. Kept as long as the robot."""
    if robot not in _looks:
        outlines = [solid.outline() for body in robot.bodies for solid in body.shown]
        _looks[robot] = [shared_geometry(triangle_mesh(outline)) for outline in outlines if outline.mesh is not None]


def triangle_mesh(outline: Outline) -> TriangleMesh:
    """The mesh of a solid that is one, with its colours."""
    assert outline.mesh is not None
    skin = outline.skin or MeshSkin()
    return TriangleMesh(*outline.mesh, tints=skin.tints, places=skin.places, texture=skin.texture)


def _ground(world: WorldDescription, classes: Classes) -> look.GroundPlane | None:
    """Tiles of two shades of the world's colour, with light joints, so that a camera sees how fast it moves."""
    if world.ground is None:
        return None
    color = np.array(world.ground.color)
    second, line = _triple(0.92 * color), _triple(color + 0.25 * (1 - color))
    tile, radiation = world.ground.tile, tuple(one.of(world.ground.material) for one in classes)
    plane = look.GroundPlane(color=world.ground.color, tile=0.0, line_width=0.0, object_id=GROUND, radiation=radiation)
    if not tile:
        return plane
    width = look.GroundPlane.line_width
    return replace(plane, second_color=second, tile=tile, line_color=line, line_width=width)


def _sky(world: WorldDescription, classes: Classes) -> look.Sky:
    """The world's colour above, and haze towards the horizon, which a dark sky has less of."""
    color = np.array(world.sky)
    haze = _HAZE * min(1.0, float(color.max()) / _HAZE)
    return look.Sky(
        zenith=world.sky, horizon=_triple(color + haze * (1 - color)), radiation=tuple(one.sky for one in classes)
    )


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = map(float, values)
    return x, y, z
