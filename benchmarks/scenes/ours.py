"""Scenes in ÜberSim, through the names that everybody may use."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.scenes.engine import Engine
from benchmarks.scenes.scene import Scene, Shape
from ubersim.geometry import Array
from ubersim.physics import Body, CollisionMesh, World
from ubersim.protocol.properties import AXIS_PROPERTIES, NEXT_AXIS

VEL, FMAX = AXIS_PROPERTIES["Vel"], AXIS_PROPERTIES["FMax"]


class UberSim(Engine):
    """A `ubersim.physics.World`; settings are its own."""

    def __init__(self, scene: Scene, **settings: Any) -> None:
        super().__init__(scene)
        names = scene.materials
        surfaces = [[scene.surface(one, other) for other in names] for one in names]
        self.world = World(scene.step, surfaces=surfaces, gravity=scene.gravity, **settings)
        for shape in scene.statics:
            self._add(shape, 0, None)
        for spec in scene.bodies:
            body = self.world.add_body(
                spec.owner, mass=spec.mass, inertia=spec.inertia, position=spec.position, rotation=spec.rotation
            )
            for shape in spec.shapes:
                self._add(shape, spec.owner, body)
            body.set_state(linear=spec.linear, angular=spec.angular)
        self.joints = []
        for joint in scene.joints:
            ends = [None if end is None else self.world.bodies[end] for end in (joint.first, joint.second)]
            anchor = joint.anchor if joint.kind != "slider" and joint.kind != "fixed" else None
            made = self.world.add_joint(joint.owner, joint.kind, *ends, anchor=anchor, axes=joint.axes)
            for number, value in joint.properties.items():
                made.set(number, value)
            self.joints.append(made)

    def _add(self, shape: Shape, owner: int, body: Body | None) -> None:
        material = self.scene.materials.index(shape.material)
        place = (owner, body, material, shape.position, shape.rotation)
        match shape.kind:
            case "plane":
                geom = self.world.add_plane(owner, material, shape.size[:3], shape.size[3])
            case "box":
                geom = self.world.add_box(*place, shape.size)
            case "sphere":
                geom = self.world.add_sphere(*place, *shape.size)
            case "capsule":
                geom = self.world.add_capsule(*place, *shape.size)
            case "cylinder":
                geom = self.world.add_cylinder(*place, *shape.size)
            case "mesh":
                assert shape.vertices is not None and shape.triangles is not None
                geom = self.world.add_mesh(*place, CollisionMesh(shape.vertices, shape.triangles))
        geom.set_self_collision(shape.self_collision)

    def run(self, steps: int = 1) -> None:
        self.world.run(steps)

    @property
    def positions(self) -> Array:
        return np.array(self.world.positions)

    @property
    def rotations(self) -> Array:
        return np.array(self.world.rotations)

    @property
    def linear(self) -> Array:
        return np.array(self.world.linear_velocities)

    @property
    def angular(self) -> Array:
        return np.array(self.world.angular_velocities)

    def push(self, body: int, force: Array, point: Array | None = None) -> None:
        self.world.bodies[body].add_force(force, point)

    def drive(self, joint: int, rate: float, limit: float) -> None:
        made = self.joints[joint]
        last = (made.axes - 1) * NEXT_AXIS
        made.set(last + VEL, rate)
        made.set(last + FMAX, limit)
