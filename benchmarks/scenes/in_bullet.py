"""Scenes in PyBullet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pybullet

from benchmarks.scenes.engine import Engine
from benchmarks.scenes.forest import Branch, branches
from benchmarks.scenes.scene import BodySpec, JointSpec, Scene, Shape
from ubersim.description.materials import Surface
from ubersim.geometry import Array
from ubersim.protocol.properties import AXIS_PROPERTIES as NUMBER

_KINDS = {
    "hinge": pybullet.JOINT_REVOLUTE,
    "slider": pybullet.JOINT_PRISMATIC,
    "ball": pybullet.JOINT_SPHERICAL,
    "fixed": pybullet.JOINT_FIXED,
}
Link = tuple[int, int]
"""PyBullet's numbers of a multibody and of a link of it; -1 is its base."""


class Bullet(Engine):
    """200 iterations of its solver, no damping; everything else as PyBullet has it by default.

    But for things that bounce: contacts that are found 20 mm ahead, as they are by default, slow them down before they
    touch, and they never rebound; a metre per second times the step lets them.
    """

    def __init__(self, scene: Scene, connection: int = pybullet.DIRECT, **options: Any) -> None:
        super().__init__(scene)
        self.client = pybullet.connect(connection)
        settings = {"numSolverIterations": 200, "restitutionVelocityThreshold": 0.01} | options
        surfaces = scene.surfaces if scene.plain_surfaces is None else scene.plain_surfaces
        if any(surface.bounce for surface in surfaces.values()):
            settings = {"contactBreakingThreshold": scene.step} | settings
        self._call("setGravity", *scene.gravity)
        self._call("setPhysicsEngineParameter", fixedTimeStep=scene.step, numSubSteps=0, **settings)
        self._friction = _frictions(scene, surfaces)
        self.links: dict[int, Link] = {}
        self._joints: dict[int, tuple[Link, float]] = {}
        for shape in scene.statics:
            made = self._call("createMultiBody", 0, self._shapes([shape], np.zeros(3), np.eye(3)))
            self._touch((made, -1), [shape])
        for tree in _trees(scene):
            self._plant(tree)
        self._forbid()
        self._check()

    def _call(self, name: str, *values: Any, **named: Any) -> Any:
        return getattr(pybullet, name)(*values, physicsClientId=self.client, **named)

    # Building

    def _plant(self, tree: list[Branch]) -> None:
        """A multibody; what hangs on the world gets a base without mass."""
        root = tree[0]
        free = root.joint is None
        own = self.scene.bodies[root.body]
        origin, turn = (own.position, _principal(own)[1]) if free else (np.zeros(3), np.eye(3))
        frames: dict[int | None, tuple[Array, Array]] = {(root.body if free else None): (origin, turn)}
        numbers: dict[int | None, int] = {(root.body if free else None): 0}
        rows: list[dict[str, Any]] = []
        for branch in tree[1:] if free else tree:
            body, joint = self.scene.bodies[branch.body], branch.joint
            assert joint is not None
            if joint.kind not in _KINDS:
                raise NotImplementedError(f"PyBullet has no joints of kind {joint.kind}")
            where, how = frames[branch.parent]
            _, axes = _principal(body)
            pivot = joint.anchor if joint.kind not in ("slider", "fixed") else body.position
            # A link's frame is at its pivot, with the axes of its own inertia.
            rows.append(
                {
                    "linkMasses": body.mass,
                    "linkCollisionShapeIndices": self._shapes(body.shapes, pivot, axes),
                    "linkVisualShapeIndices": -1,
                    "linkPositions": how.T @ (pivot - where),
                    "linkOrientations": _quaternion(how.T @ axes),
                    "linkInertialFramePositions": axes.T @ (body.position - pivot),
                    "linkInertialFrameOrientations": (0, 0, 0, 1),
                    "linkParentIndices": numbers[branch.parent],
                    "linkJointTypes": _KINDS[joint.kind],
                    "linkJointAxis": axes.T @ (branch.sign * joint.axes[0]) if joint.axes else (0, 0, 1),
                }
            )
            frames[branch.body] = (pivot, axes)
            numbers[branch.body] = len(rows)
        made = self._call(
            "createMultiBody",
            own.mass if free else 0,
            self._shapes(own.shapes, origin, turn) if free else -1,
            basePosition=origin,
            baseOrientation=_quaternion(turn),
            **{name: [row[name] for row in rows] for name in (rows[0] if rows else ())},
        )
        if free:
            self._finish(root, (made, -1))
        for branch in tree[1:] if free else tree:
            self._finish(branch, (made, numbers[branch.body] - 1))

    def _finish(self, branch: Branch, link: Link) -> None:
        """Inertia, friction, motors, stops and velocity of a link."""
        body, joint = self.scene.bodies[branch.body], branch.joint
        self.links[branch.body] = link
        self._call("changeDynamics", *link, linearDamping=0, angularDamping=0, jointDamping=0, maxJointVelocity=1e4)
        self._touch(link, body.shapes)
        if joint is not None and joint.properties.get(NUMBER["Bounce"], 0.0) > 0:
            raise NotImplementedError("PyBullet's stops have no restitution")
        if joint is not None and {NUMBER["LoStop"], NUMBER["HiStop"]} & joint.properties.keys():
            low, high = (joint.properties.get(NUMBER[end], wide) for end, wide in (("LoStop", -1e6), ("HiStop", 1e6)))
            self._call("changeDynamics", *link, jointLowerLimit=low, jointUpperLimit=high)
        self._call(
            "changeDynamics", *link, localInertiaDiagonal=_principal(body)[0]
        )  # lost by other changes: comes last
        if joint is None:
            self._call("resetBaseVelocity", link[0], body.linear, body.angular)
            return
        place = self.scene.joints.index(joint)
        self._joints[place] = (link, branch.sign)
        if joint.kind == "ball":
            self._call(
                "setJointMotorControlMultiDof",
                *link,
                pybullet.POSITION_CONTROL,
                targetPosition=[0, 0, 0, 1],
                positionGain=0,
                velocityGain=1,
                force=[0] * 3,
            )
        elif joint.kind != "fixed":
            self.drive(
                place,
                joint.properties.get(NUMBER["Vel"], 0.0),
                joint.properties.get(NUMBER["FMax"], 0.0),
            )
        self._set_rate(link, branch, joint)

    def _set_rate(self, link: Link, branch: Branch, joint: JointSpec) -> None:
        body = self.scene.bodies[branch.body]
        parent = None if branch.parent is None else self.scene.bodies[branch.parent]
        relative = body.angular - (0.0 if parent is None else parent.angular)
        if joint.kind == "ball":
            own = _principal(body)[1].T @ relative
            self._call("resetJointStateMultiDof", *link, [0, 0, 0, 1], list(own))
        elif joint.kind == "hinge":
            self._call("resetJointState", *link, 0.0, branch.sign * float(joint.axes[0] @ relative))
        elif joint.kind == "slider":
            carried = np.zeros(3)
            if parent is not None:
                carried = parent.linear + np.cross(parent.angular, body.position - parent.position)
            self._call("resetJointState", *link, 0.0, branch.sign * float(joint.axes[0] @ (body.linear - carried)))

    def _shapes(self, shapes: list[Shape], origin: Array, turn: Array) -> int:
        if not shapes:
            return -1
        if shapes[0].kind in ("plane", "mesh"):
            (shape,) = shapes
            return self._lone(shape, turn.T @ (shape.position - origin), _quaternion(turn.T @ shape.rotation))
        kinds = {"box": pybullet.GEOM_BOX, "sphere": pybullet.GEOM_SPHERE}
        kinds |= {"capsule": pybullet.GEOM_CAPSULE, "cylinder": pybullet.GEOM_CYLINDER}
        made: int = self._call(
            "createCollisionShapeArray",
            shapeTypes=[kinds[shape.kind] for shape in shapes],
            radii=[shape.size[0] for shape in shapes],
            lengths=[shape.size[-1] for shape in shapes],
            halfExtents=[[edge / 2 for edge in (*shape.size, 0.0, 0.0)[:3]] for shape in shapes],
            collisionFramePositions=[turn.T @ (shape.position - origin) for shape in shapes],
            collisionFrameOrientations=[_quaternion(turn.T @ shape.rotation) for shape in shapes],
        )
        return made

    def _lone(self, shape: Shape, position: Array, orientation: Array) -> int:
        if shape.kind == "plane":
            normal = np.array(shape.size[:3])
            assert shape.size[3] == 0.0, "planes go through the origin here"
            made: int = self._call("createCollisionShape", pybullet.GEOM_PLANE, planeNormal=normal)
            return made
        assert shape.vertices is not None
        made = self._call(
            "createCollisionShape",
            pybullet.GEOM_MESH,
            vertices=shape.vertices.tolist(),  # without triangles: their convex hull, for two meshes never meet
            collisionFramePosition=position,
            collisionFrameOrientation=orientation,
        )
        return made

    def _touch(self, link: Link, shapes: list[Shape]) -> None:
        for shape in shapes[:1]:
            mu, bounce, rolling, spinning = self._friction[shape.material]
            self._call(
                "changeDynamics",
                *link,
                lateralFriction=mu,
                restitution=bounce,
                rollingFriction=rolling,
                spinningFriction=spinning,
            )

    def _forbid(self) -> None:
        """Bodies of one owner that must not collide, and those that a joint connects."""
        bodies = self.scene.bodies
        for one, spec in enumerate(bodies):
            for other in range(one):
                alone = [body for body in (spec, bodies[other]) if body.shapes and not body.shapes[0].self_collision]
                if alone and spec.owner == bodies[other].owner:
                    self._call("setCollisionFilterPair", *_pair(self.links[one], self.links[other]), 0)
        for joint in self.scene.joints:
            if joint.second is not None:
                self._call("setCollisionFilterPair", *_pair(self.links[joint.first], self.links[joint.second]), 0)

    def _check(self) -> None:
        """All is where it should be, and moves as it should; living robots' joints give a little."""
        positions, linear, angular = self.positions, self.linear, self.angular
        for place, body in enumerate(self.scene.bodies):
            assert np.allclose(positions[place], body.position, atol=1e-4), (place, positions[place], body.position)
            assert np.allclose(self.rotations[place], body.rotation, atol=1e-4), place
            assert np.allclose(linear[place], body.linear, atol=1e-2), (place, linear[place], body.linear)
            assert np.allclose(angular[place], body.angular, atol=1e-2), (place, angular[place], body.angular)

    # Running

    def run(self, steps: int = 1) -> None:
        for _ in range(steps):
            pybullet.stepSimulation(physicsClientId=self.client)

    def _states(self) -> list[tuple[Any, Any, Any, Any]]:
        """Position, quaternion, linear and angular velocity of each body."""
        states = []
        for place in range(len(self.scene.bodies)):
            multibody, link = self.links[place]
            if link < 0:
                states.append(
                    (*self._call("getBasePositionAndOrientation", multibody), *self._call("getBaseVelocity", multibody))
                )
            else:
                found = self._call("getLinkState", multibody, link, computeLinkVelocity=1, computeForwardKinematics=1)
                states.append((found[0], found[1], found[6], found[7]))
        return states

    @property
    def positions(self) -> Array:
        return np.array([state[0] for state in self._states()])

    @property
    def rotations(self) -> Array:
        found = []
        for body, state in zip(self.scene.bodies, self._states(), strict=True):
            own = np.array(pybullet.getMatrixFromQuaternion(state[1])).reshape(3, 3)
            found.append(own @ _principal(body)[1].T @ body.rotation)
        return np.array(found)

    @property
    def linear(self) -> Array:
        return np.array([state[2] for state in self._states()])

    @property
    def angular(self) -> Array:
        return np.array([state[3] for state in self._states()])

    def push(self, body: int, force: Array, point: Array | None = None) -> None:
        where = self.positions[body] if point is None else point
        self._call("applyExternalForce", *self.links[body], list(force), list(where), pybullet.WORLD_FRAME)

    def drive(self, joint: int, rate: float, limit: float) -> None:
        link, _ = self._joints[joint]
        self._call("setJointMotorControl2", *link, pybullet.VELOCITY_CONTROL, targetVelocity=rate, force=limit)


def _trees(scene: Scene) -> list[list[Branch]]:
    trees: list[list[Branch]] = []
    for branch in branches(scene):
        if branch.parent is None:
            trees.append([])
        trees[-1].append(branch)
    return trees


def _principal(body: BodySpec) -> tuple[Array, Array]:
    """Moments about the principal axes, and the rotation from these to the world at the beginning."""
    if not (body.inertia - np.diag(np.diag(body.inertia))).any():
        return np.diag(body.inertia), body.rotation
    moments, axes = np.linalg.eigh(body.inertia)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return moments, body.rotation @ axes


def _pair(one: Link, other: Link) -> tuple[int, int, int, int]:
    return one[0], other[0], one[1], other[1]


def _frictions(scene: Scene, surfaces: dict[tuple[str, str], Surface]) -> dict[str, tuple[float, float, float, float]]:
    """Friction, restitution, rolling and spinning friction of each material; of two that meet, the product counts."""
    shared = set(scene.materials).intersection(*({*pair} for pair in surfaces)) if surfaces else set()
    found: dict[str, tuple[float, float, float, float]] = {}
    for (one, other), surface in surfaces.items():
        values = (surface.mu, surface.bounce, surface.rolling, surface.spinning)
        if one == other:
            assert len(surfaces) == 1, "cannot be said for PyBullet"
            return {one: (math.sqrt(surface.mu), math.sqrt(surface.bounce), surface.rolling / 2, surface.spinning / 2)}
        hub, rim = (one, other) if one in shared else (other, one)
        assert hub in shared, "cannot be said for PyBullet"
        found[rim] = values
        found.setdefault(hub, (1.0, 1.0, 0.0, 0.0))
    plain = scene.other_surface
    return {name: found.get(name, (plain.mu, plain.bounce, 0.0, 0.0)) for name in scene.materials}


def _quaternion(rotation: Array) -> Array:
    """(x, y, z, w)."""
    from scipy.spatial.transform import Rotation

    quaternion: Array = Rotation.from_matrix(rotation).as_quat()
    return quaternion
