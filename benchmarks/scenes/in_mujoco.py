"""Scenes in MuJoCo."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from benchmarks.scenes.engine import Engine
from benchmarks.scenes.forest import Branch, branches
from benchmarks.scenes.scene import CannotBeToldError, Scene, Shape
from ubersim.description.materials import Surface
from ubersim.geometry import Array
from ubersim.protocol.properties import AXIS_PROPERTIES as NUMBER
from ubersim.protocol.properties import NEXT_AXIS

_GEOMS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}
_HINGE, _SLIDE, _BALL = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_BALL
SLACK = 1e-3
"""What a motor at its limit lags behind, as a share of the wanted rate (of 1, if that is slower)."""


class MuJoCo(Engine):
    """Elliptic cones, Newton's method to the end, contacts of its default softness; the integrator is a choice.

    Harder contacts make things that slide hop: with a time constant of 4 ms, a box at 3 m/s rises by 20 mm. Restitution
    is a spring and a damper, there is no coefficient: a contact that bounces lasts ten steps, with the damping that
    gives a lone body the wanted rebound.
    """

    def __init__(self, scene: Scene, integrator: str = "implicitfast", **options: Any) -> None:
        super().__init__(scene)
        spec = mujoco.MjSpec()
        option = spec.option
        option.timestep, option.gravity = scene.step, scene.gravity
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        option.impratio, option.iterations, option.tolerance = 10.0, 200, 1e-12
        for name, value in options.items():
            setattr(option, name, value)
        self._surfaces = scene.surfaces if scene.plain_surfaces is None else scene.plain_surfaces
        self._friction = _frictions(scene, self._surfaces)
        self._motors: dict[int, str] = {}
        for place, shape in enumerate(scene.statics):
            self._add(spec, spec.worldbody, shape, f"static{place}")
        bodies: dict[int | None, Any] = {None: spec.worldbody}
        for branch in branches(scene):
            bodies[branch.body] = self._grow(spec, bodies[branch.parent], branch)
        for place, joint in enumerate(scene.joints):
            if joint.kind == "amotor":
                self._twist(spec, bodies[joint.first], place)
        self._exclude(spec)
        if any(surface.bounce > 0 and surface.mu > 0 for surface in self._surfaces.values()):
            self._pair(spec)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._ids = [self.model.body(f"body{place}").id for place in range(len(scene.bodies))]
        mujoco.mj_forward(self.model, self.data)
        self._set_velocities()
        for place, joint in enumerate(scene.joints):
            if place in self._motors:
                last = (max(1, len(joint.axes)) - 1) * NEXT_AXIS
                self.drive(
                    place,
                    joint.properties.get(last + NUMBER["Vel"], 0.0),
                    joint.properties[last + NUMBER["FMax"]],
                )

    # Building

    def _grow(self, spec: Any, parent: Any, branch: Branch) -> Any:
        own = self.scene.bodies[branch.body]
        carrier = None if branch.parent is None else self.scene.bodies[branch.parent]
        origin, turn = (np.zeros(3), np.eye(3)) if carrier is None else (carrier.position, carrier.rotation)
        body = parent.add_body(name=f"body{branch.body}")
        body.pos, body.quat = turn.T @ (own.position - origin), _quaternion(turn.T @ own.rotation)
        i = own.inertia
        body.explicitinertial, body.mass, body.ipos = True, own.mass, np.zeros(3)
        body.fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
        for place, shape in enumerate(own.shapes):
            self._add(spec, body, shape, f"body{branch.body}.{place}", own.position, own.rotation)
        if branch.joint is None:
            body.add_freejoint()
        else:
            self._hinge_on(spec, body, branch)
        return body

    def _hinge_on(self, spec: Any, body: Any, branch: Branch) -> None:
        joint = branch.joint
        assert joint is not None
        own = self.scene.bodies[branch.body]
        number = self.scene.joints.index(joint)
        place = own.rotation.T @ (joint.anchor - own.position)
        if joint.kind == "fixed":
            return
        if joint.kind == "ball":
            body.add_joint(type=_BALL, pos=place)
            return
        axes = list(enumerate(joint.axes))
        if joint.kind == "hinge2":
            self._spring(body, own.rotation.T @ joint.axes[0], joint.properties)
        if joint.kind in ("universal", "hinge2") and branch.sign > 0:
            axes.reverse()  # the parent's own axis comes first
        for axis, direction in axes:
            name = f"joint{number}.{axis}"
            made = body.add_joint(
                name=name,
                type=_SLIDE if joint.kind == "slider" else _HINGE,
                pos=place,
                axis=branch.sign * (own.rotation.T @ direction),
            )
            low, high = (joint.properties.get(axis * NEXT_AXIS + NUMBER[end]) for end in ("LoStop", "HiStop"))
            if low is not None or high is not None:
                made.limited = mujoco.mjtLimited.mjLIMITED_TRUE
                made.range = [-1e6 if low is None else low, 1e6 if high is None else high]
                made.solref_limit, made.solimp_limit = self._softness(joint.properties.get(NUMBER["Bounce"], 0.0))
            if axis * NEXT_AXIS + NUMBER["FMax"] in joint.properties:
                self._motor(spec, number, name, mujoco.mjtTrn.mjTRN_JOINT)

    def _motor(self, spec: Any, number: int, name: str, kind: Any) -> Any:
        motor = spec.add_actuator(name=name, target=name, trntype=kind)
        motor.forcelimited, motor.forcerange = mujoco.mjtLimited.mjLIMITED_TRUE, [-1.0, 1.0]
        motor.gaintype, motor.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        self._motors[number] = name
        return motor

    def _twist(self, spec: Any, body: Any, number: int) -> None:
        """An angular motor between a body and the world, about its first axis."""
        joint, name = self.scene.joints[number], f"joint{number}"
        own = self.scene.bodies[joint.first]
        body.add_site(name=name)
        motor = self._motor(spec, number, name, mujoco.mjtTrn.mjTRN_SITE)
        motor.gear = [0, 0, 0, *(own.rotation.T @ joint.axes[0])]

    def _spring(self, body: Any, axis: Array, properties: dict[int, float]) -> None:
        erp, cfm = properties[NUMBER["SuspensionERP"]], properties[NUMBER["SuspensionCFM"]]
        body.add_joint(
            type=_SLIDE, axis=axis, stiffness=[erp / (cfm * self.scene.step), 0, 0], damping=[(1 - erp) / cfm, 0, 0]
        )

    def _add(
        self, spec: Any, body: Any, shape: Shape, name: str, origin: Array | None = None, turn: Array | None = None
    ) -> None:
        origin = np.zeros(3) if origin is None else origin
        turn = np.eye(3) if turn is None else turn
        geom = body.add_geom(name=name, type=_GEOMS[shape.kind])
        geom.pos, geom.quat = turn.T @ (shape.position - origin), _quaternion(turn.T @ shape.rotation)
        match shape.kind:
            case "plane":
                normal = np.array(shape.size[:3])
                geom.pos, geom.quat = normal * shape.size[3], _quaternion(_frame(normal))
                geom.size = [0, 0, 1]
            case "box":
                geom.size = np.array(shape.size) / 2
            case "mesh":
                assert shape.vertices is not None and shape.triangles is not None
                mesh = spec.add_mesh(name=f"mesh {name}")
                mesh.uservert, mesh.userface = shape.vertices.ravel(), shape.triangles.ravel()
                geom.meshname = mesh.name
            case _:
                geom.size[: len(shape.size)] = (shape.size[0], *(height / 2 for height in shape.size[1:]))
        surface = self._friction[shape.material]
        geom.friction = [surface.mu, surface.spinning, surface.rolling]
        geom.condim = 6 if surface.rolling else 4 if surface.spinning else 3
        geom.solref, geom.solimp = self._softness(surface.bounce)

    def _softness(self, bounce: float) -> tuple[Array, Array]:
        """Reference and impedance of a contact."""
        if bounce <= 0:
            return np.array([0.02, 1.0]), np.array([0.9, 0.95, 0.001, 0.5, 2])
        natural, damping = spring_of(bounce, 10 * self.scene.step)
        return np.array([-(natural**2), -damping]), np.array([0.9999, 0.9999, 0.001, 0.5, 2])

    def _pair(self, spec: Any) -> None:
        """Where things bounce, friction needs a softness of its own, which only pairs of geoms have."""
        static = [(f"static{place}", shape) for place, shape in enumerate(self.scene.statics)]
        moving = [
            (f"body{place}.{number}", shape)
            for place, body in enumerate(self.scene.bodies)
            for number, shape in enumerate(body.shapes)
        ]
        for place, (name, shape) in enumerate(moving):
            for other, second in [*static, *moving[:place]]:
                surface = self.scene.surface(shape.material, second.material)
                pair = spec.add_pair(geomname1=other, geomname2=name)
                pair.condim = 6 if surface.rolling else 4 if surface.spinning else 3
                pair.friction = [surface.mu, surface.mu, surface.spinning, surface.rolling, surface.rolling]
                pair.solref, pair.solimp = self._softness(surface.bounce)
                pair.solreffriction = [2 * self.scene.step, 1.0]

    def _exclude(self, spec: Any) -> None:
        for place, body in enumerate(self.scene.bodies):
            if not body.shapes or body.shapes[0].self_collision:
                continue
            for other, candidate in enumerate(self.scene.bodies):
                both = not candidate.shapes or candidate.shapes[0].self_collision or other > place
                if other != place and candidate.owner == body.owner and both:
                    spec.add_exclude(bodyname1=f"body{place}", bodyname2=f"body{other}")

    def _set_velocities(self) -> None:
        wanted = np.concatenate([np.concatenate([body.linear, body.angular]) for body in self.scene.bodies])
        if not wanted.any():
            return
        rows = []
        for body in self._ids:
            straight, turning = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
            mujoco.mj_jacBody(self.model, self.data, straight, turning, body)
            rows += [straight, turning]
        jacobian = np.vstack(rows)
        self.data.qvel[:] = np.linalg.lstsq(jacobian, wanted, rcond=None)[0]
        # Living robots' joints give a little, and with them the velocities.
        found = jacobian @ self.data.qvel
        if not np.allclose(found, wanted, rtol=0.05, atol=0.2):
            raise CannotBeToldError("joints do not allow these velocities")
        mujoco.mj_forward(self.model, self.data)

    # Running

    def run(self, steps: int = 1) -> None:
        mujoco.mj_step(self.model, self.data, steps)
        self.data.xfrc_applied[:] = 0
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)

    @property
    def positions(self) -> Array:
        return np.array(self.data.xipos[self._ids])

    @property
    def rotations(self) -> Array:
        return np.array(self.data.xmat[self._ids]).reshape(-1, 3, 3)

    def _velocities(self) -> Array:
        found = np.zeros((len(self._ids), 6))
        for row, body in zip(found, self._ids, strict=True):
            mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, body, row, 0)
        return found

    @property
    def linear(self) -> Array:
        return self._velocities()[:, 3:]

    @property
    def angular(self) -> Array:
        return self._velocities()[:, :3]

    def push(self, body: int, force: Array, point: Array | None = None) -> None:
        row = self.data.xfrc_applied[self._ids[body]]
        row[:3] += force
        if point is not None:
            row[3:] += np.cross(point - self.data.xipos[self._ids[body]], force)

    def drive(self, joint: int, rate: float, limit: float) -> None:
        motor = self.model.actuator(self._motors[joint]).id
        gain = limit / (SLACK * max(1.0, abs(rate)))
        self.model.actuator_gainprm[motor, 0] = gain
        self.model.actuator_biasprm[motor, 2] = -gain
        self.model.actuator_forcerange[motor] = (-limit, limit)
        self.data.ctrl[motor] = rate


def spring_of(bounce: float, seconds: float) -> tuple[float, float]:
    """Natural frequency and damping, both per unit mass, of a contact that lasts so long and rebounds so fast."""
    share = -math.log(bounce) / math.hypot(math.pi, math.log(bounce))
    natural = math.pi / (seconds * math.sqrt(1 - share**2))
    return natural, 2 * share * natural


def _frictions(scene: Scene, surfaces: dict[tuple[str, str], Surface]) -> dict[str, Surface]:
    """What each material has to have by itself: of two that meet, the greater friction counts."""
    found: dict[str, Surface] = {}
    for pair, surface in surfaces.items():
        for material in pair:
            if material not in found or surface.mu < found[material].mu:
                found[material] = surface
    for (one, other), surface in surfaces.items():
        assert max(found[one].mu, found[other].mu) == surface.mu, "cannot be said for MuJoCo"
    return {material: found.get(material, scene.other_surface) for material in scene.materials}


def _frame(normal: Array) -> Array:
    """A rotation whose z axis is the normal."""
    aside = np.cross(normal, (1.0, 0.0, 0.0) if abs(normal[0]) < 0.9 else (0.0, 1.0, 0.0))
    aside /= np.linalg.norm(aside)
    return np.column_stack([aside, np.cross(normal, aside), normal])


def _quaternion(rotation: Array) -> Array:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation).ravel())
    return quaternion
