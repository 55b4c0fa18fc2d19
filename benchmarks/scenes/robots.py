"""A simulation as it is now, robots and all, as a scene: the same bodies, shapes and joints, motors as they are set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.scenes.scene import BodySpec, JointSpec, Scene, Shape
from ubersim.description.materials import Surface
from ubersim.geometry import Array, Pose, turned
from ubersim.physics import Joint
from ubersim.physics.build import WORLD, add_body, add_solids
from ubersim.protocol.properties import NEXT_AXIS
from ubersim.simulation import Simulation

STOPS = (0, 1)
"""LoStop and HiStop, which count from where the joint was made."""


class Transcript:
    """Stands in for a `World` while a description is built, and writes down what it is told."""

    def __init__(self, scene: Scene, materials: Sequence[str], step: float) -> None:
        self.scene, self.step = scene, step
        self._materials = materials

    def add_body(
        self, owner: int, *, mass: float, inertia: ArrayLike, position: ArrayLike, rotation: ArrayLike
    ) -> BodySpec:
        """As a World's."""
        body = BodySpec(mass, np.array(inertia), np.array(position), np.array(rotation), owner=owner)
        self.scene.bodies.append(body)
        return body

    def add_box(self, owner: int, body: BodySpec | None, material: int, at: Array, turn: Array, size: Any) -> Written:
        """As a World's."""
        return self._add(body, Shape("box", tuple(size), np.array(at), np.array(turn), self._materials[material]))

    def add_sphere(self, owner: int, body: BodySpec | None, material: int, at: Array, turn: Array, r: float) -> Written:
        """As a World's."""
        return self._add(body, Shape("sphere", (r,), np.array(at), np.array(turn), self._materials[material]))

    def add_capsule(
        self, owner: int, body: BodySpec | None, material: int, at: Array, turn: Array, r: float, h: float
    ) -> Written:
        """As a World's."""
        return self._add(body, Shape("capsule", (r, h), np.array(at), np.array(turn), self._materials[material]))

    def add_cylinder(
        self, owner: int, body: BodySpec | None, material: int, at: Array, turn: Array, r: float, h: float
    ) -> Written:
        """As a World's."""
        return self._add(body, Shape("cylinder", (r, h), np.array(at), np.array(turn), self._materials[material]))

    def add_joint(
        self,
        owner: int,
        kind: Any,
        body1: BodySpec | None,
        body2: BodySpec | None,
        *,
        anchor: ArrayLike | None = None,
        axes: Sequence[ArrayLike] = (),
    ) -> Written:
        """As a World's."""
        first, second = (None if body is None else self.scene.bodies.index(body) for body in (body1, body2))
        assert first is not None, "the first body of a robot's joint is one of its own"
        place = np.zeros(3) if anchor is None else np.array(anchor, dtype=float)
        units = [np.array(axis, dtype=float) / np.linalg.norm(axis) for axis in axes]
        self.scene.joints.append(JointSpec(kind, first, second, place, units, owner=owner))
        return Written([], 0)

    def _add(self, body: BodySpec | None, shape: Shape) -> Written:
        shapes = self.scene.statics if body is None else body.shapes
        shapes.append(shape)
        return Written(shapes, len(shapes) - 1)


class Written:
    """What was written down last, for those who want to say more about it."""

    def __init__(self, shapes: list[Shape], place: int) -> None:
        self._shapes, self._place = shapes, place

    def set_self_collision(self, enabled: bool) -> None:
        """As a geom's."""
        before = self._shapes[self._place]
        self._shapes[self._place] = Shape(
            before.kind, before.size, before.position, before.rotation, before.material, enabled
        )

    def set(self, number: int, value: float) -> None:
        """As a joint's; what it is set to is read from the living joint."""


def scene_of(simulation: Simulation) -> Scene:
    """The scene, in the simulation's order of bodies; its statics are the ground and the world file's."""
    materials = simulation.materials
    scene = Scene(step=simulation.step_size, gravity=turned(np.eye(3), simulation.world.gravity))
    scene.surfaces = {
        (one, other): materials.surface(one, other)
        for place, one in enumerate(materials.names)
        for other in materials.names[: place + 1]
    }
    writer: Any = Transcript(scene, materials.names, simulation.step_size)
    ground = simulation.description.ground
    if ground is not None:
        scene.ground(ground.material)
    add_solids(writer, WORLD, None, simulation.description.static, Pose(), materials)
    for thing in simulation.description.objects:
        add_body(writer, WORLD, thing, Pose(), materials)
    for robot in simulation.robots.values():
        owner, pose = robot.owner, robot.spawned_at
        bodies = {part.name: add_body(writer, owner, part, pose, materials) for part in robot.description.bodies}
        first = len(scene.joints)
        for joint in robot.description.joints:
            joint.build(writer, owner, bodies, pose)
        for spec, made in zip(scene.joints[first:], robot.joints.values(), strict=True):
            _read_properties(spec, made)
        if not robot.description.settings.self_collision:
            for body in scene.bodies:
                for place in range(len(body.shapes) if body.owner == owner else 0):
                    Written(body.shapes, place).set_self_collision(False)
    _move(scene, simulation)
    scene.plain_surfaces = _with_the_ground(scene)
    return scene


def _with_the_ground(scene: Scene) -> dict[tuple[str, str], Surface]:
    """The surfaces between the ground and others, dead: more, other engines cannot be told."""
    ground = scene.statics[0].material
    materials = [material for material in scene.materials if material != ground]
    return {(material, ground): replace(scene.surface(material, ground), bounce=0.0) for material in materials}


def _read_properties(spec: JointSpec, made: Joint) -> None:
    for number in made.properties.values():
        value = made.get(number)
        if not np.isfinite(value):
            continue
        if number % NEXT_AXIS in STOPS and made.measured:
            value -= made.position(number // NEXT_AXIS)
        spec.properties[number] = value


def _move(scene: Scene, simulation: Simulation) -> None:
    """From where everything was made to where it is now."""
    world = simulation.world
    before = [(body.position, body.rotation) for body in scene.bodies]
    for row, body in enumerate(scene.bodies):
        origin, turn = body.position, np.array(world.rotations[row]) @ body.rotation.T
        place = np.array(world.positions[row])
        body.shapes[:] = [
            Shape(
                shape.kind,
                shape.size,
                place + turn @ (shape.position - origin),
                turn @ shape.rotation,
                shape.material,
                shape.self_collision,
            )
            for shape in body.shapes
        ]
        body.position, body.rotation = place, np.array(world.rotations[row])
        body.linear = np.array(world.linear_velocities[row])
        body.angular = np.array(world.angular_velocities[row])
    for joint in scene.joints:
        origin, turn = before[joint.first]
        own = scene.bodies[joint.first]
        joint.anchor = own.position + own.rotation @ turn.T @ (joint.anchor - origin)
        for number, axis in enumerate(joint.axes):
            carrier = joint.first if number == 0 or joint.second is None else joint.second
            joint.axes[number] = scene.bodies[carrier].rotation @ before[carrier][1].T @ axis
