"""Model -> URDF, and the meshes that it names, as OBJ files."""

from __future__ import annotations

import math

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.mesh_library import PaintedMesh
from ubersim.geometry import Array, Pose, rotation_to_xyz
from ubersim.importers.from_description import children_of, roots_of
from ubersim.importers.mjcf_writer import AHEAD
from ubersim.importers.model import LinkShape, RobotJoint, RobotLink, RobotModel
from ubersim.importers.numbers import number_text
from ubersim.importers.report import ImportReport

WORLD = "world"
TYPES = {"hinge": "revolute", "slider": "prismatic", "ball": "spherical", "fixed": "fixed"}
ANY = 1e9
"""Effort and velocity of a joint that nothing bounds."""
FARTHEST = 1e3
"""Range of a slider without stops [m]."""


def write_urdf(model: RobotModel, report: ImportReport, folder: str) -> tuple[str, dict[str, str]]:
    """The file, and the texts of the mesh files by their names, which are in `folder` beside it."""
    return _UrdfWriter(model, report, folder).documents()


class _UrdfWriter:
    def __init__(self, model: RobotModel, report: ImportReport, folder: str) -> None:
        self._model, self._report, self._folder = model, report, folder
        self._root = etree.Element("robot", name=model.name)
        self._files: dict[str, str] = {}

    def documents(self) -> tuple[str, dict[str, str]]:
        roots, held = roots_of(self._model), list(children_of(self._model, None))
        if held or len(roots) > 1:
            etree.SubElement(self._root, "link", name=WORLD)
        for joint in held:
            self._joint(WORLD, np.zeros(3), joint)
        for root in roots:
            if held or len(roots) > 1:
                self._floating(root)
            self._link(root, np.zeros(3))
        for loop in self._model.loops:
            self._report.dropped(0, f"joint {loop.name}", "it closes a loop, and URDF is a tree")
        for sensor in self._model.sensors:
            self._report.dropped(0, f"sensor {sensor.name}", "URDF has none")
        self._control()
        etree.indent(self._root)
        return etree.tostring(self._root, encoding="unicode") + "\n", self._files

    def _floating(self, link: RobotLink) -> None:
        made = etree.SubElement(self._root, "joint", name=f"{link.name}_free", type="floating")
        etree.SubElement(made, "parent", link=WORLD)
        etree.SubElement(made, "child", link=link.name)

    def _joint(self, parent: str, frame: Array, joint: RobotJoint) -> None:
        here = AHEAD.apply(joint.anchor)
        kind = "continuous" if joint.kind == "hinge" and joint.low is None else TYPES[joint.kind]
        made = etree.SubElement(self._root, "joint", name=joint.name, type=kind)
        etree.SubElement(made, "parent", link=parent)
        etree.SubElement(made, "child", link=joint.child)
        etree.SubElement(made, "origin", xyz=_text(*(here - frame)))
        if joint.kind in ("hinge", "slider"):
            etree.SubElement(made, "axis", xyz=_text(*AHEAD.turn(joint.axis)))
            limit = etree.SubElement(
                made, "limit", effort=_text(joint.effort or ANY), velocity=_text(joint.speed or ANY)
            )
            if kind != "continuous":
                low, high = (-FARTHEST, FARTHEST) if joint.low is None else (joint.low, joint.high)
                limit.set("lower", _text(low))
                limit.set("upper", _text(high if high is not None else FARTHEST))
            if joint.damping or joint.friction:
                etree.SubElement(made, "dynamics", damping=_text(joint.damping), friction=_text(joint.friction))
            if joint.mimics is not None:
                leader, factor, offset = joint.mimics
                etree.SubElement(made, "mimic", joint=leader, multiplier=_text(factor), offset=_text(offset))
            if joint.armature:
                self._report.dropped(0, f"armature of joint {joint.name}", "URDF has none")
        self._link(self._model.link(joint.child), here)

    def _link(self, link: RobotLink, here: Array) -> None:
        element = etree.SubElement(self._root, "link", name=link.name)
        if link.mass is not None:
            mass = link.mass.seen_from(AHEAD)
            inertial = etree.SubElement(element, "inertial")
            etree.SubElement(inertial, "origin", xyz=_text(*(mass.center - here)))
            etree.SubElement(inertial, "mass", value=_text(mass.mass))
            names = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
            etree.SubElement(inertial, "inertia", {name: _text(mass.inertia[at]) for name, at in names.items()})
        for number, shape in enumerate(link.visuals):
            visual = self._shape(element, "visual", shape, f"{link.name}_visual{number}", here)
            if shape.color is not None:
                material = etree.SubElement(visual, "material", name=f"{link.name}_{number}")
                etree.SubElement(material, "color", rgba=_text(*shape.color, 1.0))
        for number, shape in enumerate(link.collisions):
            self._shape(element, "collision", shape, f"{link.name}_solid{number}", here)
        for joint in children_of(self._model, link.name):
            self._joint(link.name, here, joint)

    def _shape(self, parent: Element, tag: str, shape: LinkShape, name: str, here: Array) -> Element:
        holder = etree.SubElement(parent, tag)
        pose = AHEAD @ shape.pose
        etree.SubElement(holder, "origin", xyz=_text(*(pose.position - here)), rpy=_text(*_roll_pitch_yaw(pose)))
        geometry = etree.SubElement(holder, "geometry")
        match shape.kind:
            case "box":
                etree.SubElement(geometry, "box", size=_text(*shape.size))
            case "sphere":
                etree.SubElement(geometry, "sphere", radius=_text(*shape.size))
            case "cylinder" | "capsule":
                etree.SubElement(geometry, shape.kind, radius=_text(shape.size[0]), length=_text(shape.size[1]))
                if shape.kind == "capsule":
                    self._report.changed(
                        0, f"shape {name}", "capsules are an extension that Bullet and Drake read, too"
                    )
            case "mesh":
                self._files[f"{name}.obj"] = _obj(shape.meshes[0])
                etree.SubElement(geometry, "mesh", filename=f"{self._folder}/{name}.obj")
        return holder

    def _control(self) -> None:
        """Motors as ros2_control has them; gains are its controllers' business."""
        if not self._model.motors:
            return
        control = etree.SubElement(self._root, "ros2_control", name=self._model.name, type="system")
        for motor in self._model.motors:
            kind = "effort" if motor.kind == "torque" else motor.kind
            joint = etree.SubElement(control, "joint", name=motor.joint)
            etree.SubElement(joint, "command_interface", name=kind)
            if motor.kp:
                self._report.dropped(0, f"gains of motor {motor.name}", "URDF has none")


def _roll_pitch_yaw(pose: Pose) -> tuple[float, float, float]:
    """URDF's angles about fixed x, y and z, in this order, as ours."""
    return rotation_to_xyz(pose.rotation)


def _obj(mesh: PaintedMesh) -> str:
    corners = "".join(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in mesh.vertices)
    return corners + "".join(f"f {a} {b} {c}\n" for a, b, c in mesh.triangles + 1)


def _text(*values: float) -> str:
    return " ".join(map(number_text, values)) if all(map(math.isfinite, values)) else "0"
