"""Model -> MJCF: one file, with its meshes in it."""

from __future__ import annotations

import math

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.mesh_library import PaintedMesh
from ubersim.geometry import Array, Pose, quaternion_from_matrix, rotation_about
from ubersim.importers.from_description import children_of, roots_of
from ubersim.importers.model import LinkShape, RobotJoint, RobotLink, RobotModel
from ubersim.importers.numbers import number_text
from ubersim.importers.report import ImportReport

AHEAD = Pose(np.zeros(3), rotation_about(2, -math.pi / 2))
"""Our +y becomes their +x."""
SENSORS = {"GyroSensor": "gyro", "AccelerometerSensor": "accelerometer"}
TYPES = {"hinge": "hinge", "slider": "slide", "ball": "ball"}


def write_mjcf(model: RobotModel, report: ImportReport) -> str:
    """The file."""
    return _MjcfWriter(model, report).document()


class _MjcfWriter:
    def __init__(self, model: RobotModel, report: ImportReport) -> None:
        self._model, self._report = model, report
        self._root = etree.Element("mujoco", model=model.name)
        etree.SubElement(self._root, "compiler", angle="radian", autolimits="true")
        self._assets = etree.SubElement(self._root, "asset")
        self._sensors: list[tuple[str, str, str]] = []

    def document(self) -> str:
        world = etree.SubElement(self._root, "worldbody")
        for joint in children_of(self._model, None):
            self._body(world, self._model.link(joint.child), np.zeros(3), joint)
        for root in roots_of(self._model):
            self._body(world, root, np.zeros(3), None)
        self._constraints()
        actuators = etree.SubElement(self._root, "actuator")
        for motor in self._model.motors:
            tag = {"position": "position", "velocity": "velocity", "torque": "motor"}[motor.kind]
            made = etree.SubElement(actuators, tag, name=motor.name, joint=motor.joint)
            if motor.kind == "position":
                made.set("kp", _text(motor.kp))
                made.set("kv", _text(motor.kd))
            if motor.kind == "velocity":
                made.set("kv", _text(motor.limit or 1.0))
            if motor.limit:
                made.set("forcerange", _text(-motor.limit, motor.limit))
        sensors = etree.SubElement(self._root, "sensor")
        for tag, name, site in self._sensors:
            etree.SubElement(sensors, tag, name=name, site=site)
        etree.indent(self._root)
        return etree.tostring(self._root, encoding="unicode") + "\n"

    def _body(self, parent: Element, link: RobotLink, frame: Array, joint: RobotJoint | None) -> None:
        """A body whose frame is where its joint is, turned as model space."""
        here = AHEAD.apply(joint.anchor) if joint is not None else np.zeros(3)
        element = etree.SubElement(parent, "body", name=link.name, pos=_text(*(here - frame)))
        if joint is None:
            etree.SubElement(element, "freejoint", name=f"{link.name}_free")
        elif joint.kind in TYPES:
            made = etree.SubElement(element, "joint", name=joint.name, type=TYPES[joint.kind])
            if joint.kind != "ball":
                made.set("axis", _text(*AHEAD.turn(joint.axis)))
                if joint.low is not None and joint.high is not None:
                    made.set("range", _text(joint.low, joint.high))
                names = {"damping": joint.damping, "frictionloss": joint.friction, "armature": joint.armature}
                made.attrib.update({name: _text(value) for name, value in names.items() if value})
        if link.mass is not None:
            mass = link.mass.seen_from(AHEAD)
            six = [mass.inertia[place] for place in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            etree.SubElement(
                element, "inertial", mass=_text(mass.mass), pos=_text(*(mass.center - here)), fullinertia=_text(*six)
            )
        for number, shape in enumerate(link.collisions):
            self._geom(element, shape, f"{link.name}_solid{number}", here, {"group": "3"})
        for number, shape in enumerate(link.visuals):
            self._geom(
                element, shape, f"{link.name}_visual{number}", here, {"group": "2", "contype": "0", "conaffinity": "0"}
            )
        self._sensors_of(element, link, here)
        for child in children_of(self._model, link.name):
            self._body(element, self._model.link(child.child), here, child)

    def _geom(self, parent: Element, shape: LinkShape, name: str, here: Array, more: dict[str, str]) -> None:
        pose = AHEAD @ shape.pose
        attributes = {"name": name, "type": shape.kind, "pos": _text(*(pose.position - here)),
                      "quat": _text(*quaternion_from_matrix(pose.rotation)), **more}  # fmt: skip
        if shape.color is not None:
            attributes["rgba"] = _text(*shape.color, 1.0)
        match shape.kind:
            case "box":
                attributes["size"] = _text(*(edge / 2 for edge in shape.size))
            case "sphere":
                attributes["size"] = _text(*shape.size)
            case "cylinder" | "capsule":
                attributes["size"] = _text(shape.size[0], shape.size[1] / 2)
            case "mesh":
                attributes["mesh"] = self._mesh(shape.meshes[0], f"{name}_mesh")
        etree.SubElement(parent, "geom", attributes)

    def _mesh(self, mesh: PaintedMesh, name: str) -> str:
        vertices = " ".join(f"{value:.9g}" for value in mesh.vertices.ravel())
        faces = " ".join(map(str, mesh.triangles.ravel()))
        etree.SubElement(self._assets, "mesh", name=name, vertex=vertices, face=faces, inertia="shell")
        return name

    def _sensors_of(self, element: Element, link: RobotLink, here: Array) -> None:
        for sensor in (sensor for sensor in self._model.sensors if sensor.link == link.name):
            if sensor.tag not in SENSORS:
                self._report.dropped(0, f"sensor {sensor.name}", f"{sensor.tag} has no counterpart")
                continue
            pose = AHEAD @ sensor.pose
            site = f"{sensor.name}_site"
            etree.SubElement(
                element, "site", name=site, pos=_text(*(pose.position - here)),
                quat=_text(*quaternion_from_matrix(pose.rotation)),
            )  # fmt: skip
            self._sensors.append((SENSORS[sensor.tag], sensor.name, site))

    def _constraints(self) -> None:
        equality = etree.SubElement(self._root, "equality")
        for joint in (joint for joint in self._model.joints if joint.mimics is not None):
            assert joint.mimics is not None
            leader, factor, offset = joint.mimics
            etree.SubElement(
                equality, "joint", joint1=joint.name, joint2=leader, polycoef=_text(offset, factor, 0, 0, 0)
            )
        for loop in self._model.loops:
            tag = "connect" if loop.kind == "ball" else "weld"
            made = etree.SubElement(equality, tag, name=loop.name, body1=loop.child)
            if loop.parent is not None:
                made.set("body2", loop.parent)
            if loop.kind == "ball":
                above = next((joint for joint in self._model.joints if joint.child == loop.child), None)
                here = AHEAD.apply(above.anchor) if above is not None else np.zeros(3)
                made.set("anchor", _text(*(AHEAD.apply(loop.anchor) - here)))


def _text(*values: float) -> str:
    return " ".join(map(number_text, values))
