"""MJCF -> model. MuJoCo itself reads the file (MjSpec): defaults, includes and frames mean what they mean there."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ubersim.description.mass import MassProperties
from ubersim.errors import DescriptionError, Problem
from ubersim.geometry import Pose, Triple
from ubersim.importers.mjcf_actuators import read_actuators, read_springs
from ubersim.importers.mjcf_files import check_files
from ubersim.importers.mjcf_geoms import GeomReader
from ubersim.importers.mjcf_lines import Lines
from ubersim.importers.mjcf_sensors import read_sensors
from ubersim.importers.model import JointKind, RobotJoint, RobotLink, RobotModel
from ubersim.importers.options import ImportOptions
from ubersim.importers.report import ImportReport

SHARE = 1e-3
"""Part of a link's mass that each small link between its joints gets."""
HOME = "home"
"""The keyframe in which a robot begins, if there is one of this name."""


def read_mjcf(path: Path, data: bytes, options: ImportOptions, report: ImportReport) -> RobotModel:
    """The robot of an MJCF file; what MuJoCo refuses is a `DescriptionError`."""
    try:
        import mujoco
    except ImportError:
        raise _problem(path, "MJCF files need mujoco: pip install 'ubersim[import]'") from None
    check_files(path, data)
    try:
        with _without_log(mujoco):
            spec = mujoco.MjSpec.from_file(str(path))
            compiled = spec.compile()
    except Exception as error:  # ValueError or FatalError, with MuJoCo's words
        raise _problem(path, f"MuJoCo refuses it: {' '.join(str(error).split())}"[:300]) from None
    if compiled.nbody < 2:
        raise _problem(path, "it has no bodies: it is a part for other files")
    return _MjcfReader(mujoco, spec, compiled, report).model()


@contextmanager
def _without_log(mujoco: Any) -> Iterator[None]:
    """MuJoCo warns of attributes that it will forget one day, and writes a file about it into the present folder."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        mujoco.set_mju_user_warning(before)


class _MjcfReader:
    def __init__(self, mujoco: Any, spec: Any, compiled: Any, report: ImportReport) -> None:
        self._mujoco, self._m, self._report = mujoco, compiled, report
        self._lines = Lines(mujoco, spec, compiled)
        self._data = mujoco.MjData(compiled)
        self._begin()
        self._geoms = GeomReader(mujoco, compiled, self._data, self._lines, report)

    def model(self) -> RobotModel:
        m = self._m
        model = RobotModel(self._lines.model_name)
        model.self_collision = not any(number > 1 for number in m.body_jntnum)
        model.placed = any(m.body_parentid[body] == 0 and not self._floats(body) for body in range(1, m.nbody))
        world = RobotLink("world", Pose(), static=True)
        self._geoms.read(0, world)
        if world.collisions or world.visuals:
            model.links.append(world)
        for body in range(1, m.nbody):
            self._body(body, model)
        model.loops.extend(self._loops(model))
        read_actuators(self._mujoco, m, self._lines, model, self._report)
        read_springs(m, self._lines, model, self._report)
        read_sensors(self._mujoco, m, self._data, self._lines, model, self._report)
        self._rest(model)
        return model

    def _has_world(self, model: RobotModel) -> bool:
        """Whether the file has solids that stand still, on which the others then hang."""
        return bool(model.links) and model.links[0].name == "world"

    def _begin(self) -> None:
        """Where bodies are in the file's own pose, or in its keyframe `home`."""
        m, data = self._m, self._data
        for key in range(m.nkey):
            name = m.key(key).name or str(key)
            if name == HOME:
                data.qpos[:] = m.key_qpos[key]
                self._report.taken(self._lines.of("key", key), f"keyframe {name}", "the robot begins there")
            else:
                self._report.dropped(self._lines.of("key", key), f"keyframe {name}", f"the one that counts is {HOME!r}")
        self._mujoco.mj_kinematics(m, data)
        self._mujoco.mj_camlight(m, data)

    def _floats(self, body: int) -> bool:
        first = self._m.body_jntadr[body]
        return bool(first >= 0 and self._m.jnt_type[first] == self._mujoco.mjtJoint.mjJNT_FREE)

    # Bodies and their joints

    def _body(self, body: int, model: RobotModel) -> None:
        m, data = self._m, self._data
        name, line = self._lines.name("body", body), self._lines.of("body", body)
        pose = Pose(data.xpos[body].copy(), data.xmat[body].reshape(3, 3).copy())
        link = RobotLink(name, pose, line=line)
        inertial = Pose(m.body_ipos[body].copy(), _matrix(self._mujoco, m.body_iquat[body]))
        own = MassProperties(float(m.body_mass[body]), np.zeros(3), np.diag(m.body_inertia[body]))
        joints = list(range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]))
        above = m.body_parentid[body]
        parent = self._lines.name("body", above) if above else "world" if self._has_world(model) else None
        if own.mass > 0:
            whole = own.seen_from(pose @ inertial)
            link.mass = _part(whole, 1 - SHARE * max(len(joints) - 1, 0))
        for number, joint in enumerate(joints[:-1]):
            between = RobotLink(f"{name}_{number + 1}", pose, line=line)
            between.mass = None if link.mass is None else _part(whole, SHARE)
            model.links.append(between)
            model.joints.append(self._joint(joint, parent, between.name))
            parent = between.name
        if len(joints) > 1:
            share = f"{SHARE:g} of its mass is in each of {len(joints) - 1} links between its joints"
            self._report.changed(line, f"body {name}", f"{share}; parts of the robot do not collide with each other")
        if joints:
            model.joints.append(self._joint(joints[-1], parent, name))
        else:
            model.joints.append(RobotJoint(f"{name}_fixed", "fixed", parent, name, line=line))
        self._geoms.read(body, link)
        model.links.append(link)
        self._report.taken(line, f"body {name}", f"{own.mass:.6g} kg, {len(link.collisions)} to be touched")

    def _joint(self, joint: int, parent: str | None, child: str) -> RobotJoint:
        m, types = self._m, self._mujoco.mjtJoint
        kinds: dict[int, JointKind] = {
            int(types.mjJNT_FREE): "free",
            int(types.mjJNT_BALL): "ball",
            int(types.mjJNT_SLIDE): "slider",
            int(types.mjJNT_HINGE): "hinge",
        }
        kind, dof, line = kinds[int(m.jnt_type[joint])], m.jnt_dofadr[joint], self._lines.of("joint", joint)
        made = RobotJoint(self._lines.name("joint", joint), kind, parent, child, line=line)
        made.anchor, made.axis = _triple(self._data.xanchor[joint]), _triple(self._data.xaxis[joint])
        if kind in ("hinge", "slider"):
            made.position = float(self._data.qpos[m.jnt_qposadr[joint]])
            made.damping, made.friction = (
                float(m.dof_damping[dof, 0]) if m.dof_damping.ndim > 1 else float(m.dof_damping[dof]),
                float(m.dof_frictionloss[dof]),
            )
            made.armature = float(m.dof_armature[dof])
            if m.jnt_limited[joint]:
                made.low, made.high = (float(end) for end in m.jnt_range[joint])
        elif kind == "ball" and m.jnt_limited[joint]:
            self._report.dropped(line, f"limit of joint {made.name}", "a ball joint has no stops")
        if kind != "free":
            self._report.taken(line, f"joint {made.name}", kind)
        return made

    # What closes loops

    def _loops(self, model: RobotModel) -> Iterator[RobotJoint]:
        m, types = self._m, self._mujoco.mjtEq
        for number in range(m.neq):
            kind, line = int(m.eq_type[number]), self._lines.of("equality", number)
            name = self._lines.name("equality", number)
            what = f"equality {name}"
            one, two = int(m.eq_obj1id[number]), int(m.eq_obj2id[number])
            if not m.eq_active0[number]:
                self._report.dropped(line, what, "it is not active")
            elif kind == int(types.mjEQ_JOINT):
                self._mimic(number, one, two, model, line, what)
            elif kind in (int(types.mjEQ_CONNECT), int(types.mjEQ_WELD)) and self._between_bodies(number):
                first, second = (None if body == 0 else self._lines.name("body", body) for body in (one, two))
                child, parent = (first, second) if first is not None else (second, first)
                if child is None:
                    continue
                joint = RobotJoint(
                    name, "ball" if kind == int(types.mjEQ_CONNECT) else "fixed", parent, child, line=line
                )
                place = self._data.xmat[one].reshape(3, 3) @ m.eq_data[number, :3] + self._data.xpos[one]
                joint.anchor = _triple(place)
                self._report.taken(line, what, "closes a loop")
                yield joint
            else:
                self._report.dropped(line, what, "there is nothing like it here")

    def _between_bodies(self, number: int) -> bool:
        return int(self._m.eq_objtype[number]) == int(self._mujoco.mjtObj.mjOBJ_BODY)

    def _mimic(self, number: int, one: int, two: int, model: RobotModel, line: int, what: str) -> None:
        coefficients = self._m.eq_data[number, :5]
        joint = next((known for known in model.joints if known.name == self._lines.name("joint", one)), None)
        if joint is None or two < 0 or np.any(coefficients[2:]):
            self._report.dropped(line, what, "one joint follows another by a factor and an offset here, no more")
            return
        # MuJoCo's polynomial is about the joints' initial positions.
        start, other = (float(self._m.qpos0[self._m.jnt_qposadr[which]]) for which in (one, two))
        factor = float(coefficients[1])
        joint.mimics = self._lines.name("joint", two), factor, float(coefficients[0]) + start - factor * other
        self._report.taken(line, what, f"joint {joint.name} follows {joint.mimics[0]}")

    def _rest(self, model: RobotModel) -> None:
        """What there is no place for, one line for each kind."""
        m = self._m
        counts = {
            "tendon": m.ntendon,
            "light": m.nlight,
            "hfield": m.nhfield,
            "skin": m.nskin,
            "flex": m.nflex,
            "pair": m.npair,
            "exclude": m.nexclude,
        }
        for kind, count in counts.items():
            if count:
                self._report.dropped(self._lines.of(kind, 0), f"{count} {kind}", "there is nothing like it here")


def _part(mass: MassProperties, share: float) -> MassProperties:
    return MassProperties(mass.mass * share, mass.center, mass.inertia * share)


def _matrix(mujoco: Any, quaternion: Any) -> Any:
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


def _triple(values: Any) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _problem(path: Path, message: str) -> DescriptionError:
    return DescriptionError(str(path), [Problem(0, "", message)])
