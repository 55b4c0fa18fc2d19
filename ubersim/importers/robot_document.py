"""Model -> our XML: bodies with their inertia, solids and looks, joints, motors, sensors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.document import LONGEST
from ubersim.description.mesh_library import PaintedMesh
from ubersim.geometry import Pose, Triple, product, rotation_about, rotation_to_xyz
from ubersim.importers.assembly import AssembledBody, Assembly, assemble
from ubersim.importers.collision import colliding
from ubersim.importers.decimation import MOST_TRIANGLES, coarser
from ubersim.importers.model import LinkShape, MotorKind, RobotJoint, RobotModel, RobotMotor
from ubersim.importers.names import UniqueNames
from ubersim.importers.numbers import number_text
from ubersim.importers.options import ImportOptions
from ubersim.importers.posing import pose_within_stops
from ubersim.importers.report import ImportReport

JOINTS = {"hinge": "JointHinge", "slider": "JointSlider", "ball": "JointBall", "fixed": "JointFixed"}
MOTORS: Mapping[MotorKind, str] = {"position": "PositionServo", "velocity": "VelocityMotor", "torque": "TorqueMotor"}
LEAST_SIZE = 1e-4
"""Smallest size of a solid [m]."""
STRONGEST = 1e9
STIFF = 25.0
"""Of a servo whose file gives no gain: its whole torque at this share of a radian or metre, 1 / STIFF."""
BYTES_PER_TRIANGLE = 64
"""What a triangle to be seen takes of a document, with its share of corners and colours, and room for the rest."""
HALF_TURN = math.pi * (1 - 1e-9)


def write_document(model: RobotModel, options: ImportOptions, report: ImportReport) -> str:
    """The robot as a document of ours."""
    pose_within_stops(model, report)
    return _Writer(model, assemble(model, options, report), options, report).document()


class _Writer:
    def __init__(self, model: RobotModel, assembly: Assembly, options: ImportOptions, report: ImportReport) -> None:
        self._model, self._assembly, self._options, self._report = model, assembly, options, report
        self._names = UniqueNames(report)
        meshes = sum(len(shape.meshes) for link in model.links for shape in link.visuals)
        self._most_triangles = min(MOST_TRIANGLES, LONGEST // (BYTES_PER_TRIANGLE * max(meshes, 1)))
        self._turn = Pose(np.zeros(3), rotation_about(2, math.pi / 2)) if options.forward == "x" else Pose()

    def document(self) -> str:
        name = UniqueNames(self._report).keep(self._model.name, "robot", 0)
        # Joints, motors and sensors are what programs name, so they choose first.
        joints = self._joint_names = {
            joint.name: self._names.keep(joint.name, "joint", joint.line) for joint in self._assembly.joints
        }
        motors = [(self._names.keep(motor.name, "motor", motor.line, "_motor"), motor) for motor in self._motors()]
        self._sensors = [
            (self._names.keep(one.name, "sensor", one.line, "_sensor"), one) for one in self._model.sensors
        ]
        self._bodies = {
            body.name: self._names.keep(body.name, "link", body.line, "_link") for body in self._assembly.bodies
        }
        root = etree.Element("Client")
        root.append(self._settings(name))
        entity = _child(root, "Entity")
        bodies = _child(entity, "RigidBodies")
        for body in self._assembly.bodies:
            bodies.append(self._body(body))
        listed = _child(entity, "Joints")
        for joint in self._assembly.joints:
            listed.append(self._joint(joint, joints[joint.name]))
        for joint in self._assembly.loops:
            listed.append(self._joint(joint, self._names.keep(joint.name, "joint", joint.line)))
        for body in self._assembly.bodies:
            if body.static:
                fixed = _child(listed, "JointFixed", name=self._names.make(f"{body.name}_to_world"))
                _text(fixed, "Body1", self._bodies[body.name])
        driven = _child(entity, "Motors")
        for made, motor in motors:
            driven.append(self._motor(motor, made, joints[motor.joint]))
        for joint in self._assembly.joints:
            if joint.mimics is not None and joint.kind != "ball":
                driven.extend(self._mimic(joint, joint.mimics, joints))
            if joint.stiffness:
                driven.append(self._spring(joint, joints[joint.name]))
        etree.indent(root)
        return etree.tostring(root, encoding="unicode") + "\n"

    def _settings(self, name: str) -> Element:
        settings = etree.Element("CSettings")
        _text(settings, "Name", name)
        if self._model.placed:
            _vector(_child(settings, "Spawn"), "Position", (0.0, 0.0, 0.0))
        wanted = self._model.self_collision if self._options.self_collision is None else self._options.self_collision
        if not wanted:
            _text(settings, "SelfCollision", "false")
        return settings

    # Bodies

    def _body(self, body: AssembledBody) -> Element:
        element = etree.Element("Body", name=self._bodies[body.name])
        element.append(self._inertia(body))
        seen = [shape for link in body.links for shape in link.visuals]
        if seen:
            visual = _child(element, "Visual")
            for shape in seen:
                visual.extend(self._visual(shape, body))
            if not len(visual):
                element.remove(visual)
        for link in body.links:
            for shape in link.collisions:
                what = f"collision of link {link.name}"
                for part in colliding(shape, self._options, self._report, what):
                    solid = self._solid(part, self._names.make(f"{body.name}_solid"), what)
                    _text(solid, "Material", self._options.material)
                    if seen:
                        _text(solid, "Visible", "false")
                    element.append(solid)
        for name, sensor in self._sensors:
            if self._assembly.body_of.get(sensor.link) == body.name:
                made = _child(element, sensor.tag, name=name)
                self._place(made, sensor.pose)
                for tag, text in sensor.fields.items():
                    _text(made, tag, self._joint_names[text] if tag == "Joint" else text)
        return element

    def _inertia(self, body: AssembledBody) -> Element:
        mass = body.mass.seen_from(self._turn)
        element = etree.Element("Inertia")
        _number(element, "Mass", mass.mass)
        _vector(element, "Center", mass.center)
        tensor = (mass.inertia + mass.inertia.T) / 2
        for tag, row, column in (
            ("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2),
        ):  # fmt: skip
            _number(element, tag, float(tensor[row, column]))
        return element

    def _visual(self, shape: LinkShape, body: AssembledBody) -> Iterator[Element]:
        what = f"visual of body {body.name}"
        parts: list[PaintedMesh | None] = [*shape.meshes] or [None]
        for mesh in parts:
            name = self._names.make(f"{body.name}_visual")
            if mesh is None:
                element = self._solid(shape, name, what)
                color: Triple | None = shape.color
            else:
                fine = coarser(mesh, self._most_triangles)
                if len(fine.triangles) < len(mesh.triangles):
                    counts = f"of {len(mesh.triangles)} triangles {len(fine.triangles)} are left"
                    self._report.changed(shape.line, what, counts)
                if not len(fine.triangles):
                    continue
                element = self._mesh(fine, name, shape.pose)
                own = _paint(element, fine)
                color = (1.0, 1.0, 1.0) if own else shape.color
            if color is not None:
                holder = _child(element, "Color")
                for part, value in zip("rgb", color, strict=True):
                    _number(holder, part, value)
            yield element

    def _solid(self, shape: LinkShape, name: str, what: str) -> Element:
        size = tuple(max(part, LEAST_SIZE) for part in shape.size)
        if size != shape.size:
            self._report.changed(shape.line, what, f"sizes below {LEAST_SIZE:g} m are {LEAST_SIZE:g} m")
        match shape.kind:
            case "mesh":
                return self._mesh(shape.meshes[0], name, shape.pose)
            case "box":
                element = etree.Element("Box", name=name)
                for tag, edge in zip(("XSize", "YSize", "ZSize"), size, strict=True):
                    _number(element, tag, edge)
            case "sphere":
                element = etree.Element("Sphere", name=name)
                _number(element, "Radius", size[0])
            case kind:
                element = etree.Element("Cylinder" if kind == "cylinder" else "CappedCylinder", name=name)
                _number(element, "Radius", size[0])
                _number(element, "Height", size[1])
        self._place(element, shape.pose)
        return element

    def _mesh(self, mesh: PaintedMesh, name: str, pose: Pose) -> Element:
        element = etree.Element("Mesh", name=name)
        self._place(element, pose)
        _text(element, "Vertices", " ".join(f"{value:.6g}" for value in mesh.vertices.ravel()))
        _text(element, "Triangles", " ".join(map(str, mesh.triangles.ravel())))
        return element

    def _place(self, element: Element, pose: Pose) -> None:
        placed = self._turn @ pose
        _vector(element, "Position", placed.position)
        if not np.array_equal(placed.rotation, np.eye(3)):
            _vector(element, "Rotation", np.degrees(rotation_to_xyz(placed.rotation)))

    # Joints and motors

    def _joint(self, joint: RobotJoint, name: str) -> Element:
        element = etree.Element(JOINTS[joint.kind], name=name)
        _text(element, "Body1", self._bodies[joint.child])
        if joint.parent is not None:
            _text(element, "Body2", self._bodies[joint.parent])
        if joint.kind == "fixed":
            return element
        _vector(element, "AnchorPos", self._turn.apply(joint.anchor))
        if joint.kind == "ball":
            return element
        axis = self._turn.turn(joint.axis)
        _vector(element, "Axis", axis / np.linalg.norm(axis))
        unit = math.degrees(1.0) if joint.kind == "hinge" else 1.0
        if joint.position:
            _number(element, "InitialPosition", unit * joint.position)
        for tag, value in (("Damping", joint.damping), ("Friction", joint.friction), ("Armature", joint.armature)):
            if value > 0:
                _number(element, tag, value)
        low, high = self._stops(joint)
        if low is not None and high is not None:
            _number(element, "LoStop", unit * low)
            _number(element, "HiStop", unit * high)
        return element

    def _stops(self, joint: RobotJoint) -> tuple[float | None, float | None]:
        """Those that the physics engine can have: angles within half a turn of the initial pose."""
        low, high = joint.low, joint.high
        if joint.kind != "hinge" or low is None or high is None:
            return low, high
        if high - low >= 2 * math.pi:
            return None, None  # it never gets there
        least, most = joint.position - HALF_TURN, joint.position + HALF_TURN
        if low < least or high > most:
            kept = f"{max(low, least):.4g} to {min(high, most):.4g}"
            self._report.changed(joint.line, f"joint {joint.name}", f"limits {low:.4g} to {high:.4g} rad are {kept}")
        return max(low, least), min(high, most)

    def _motors(self) -> list[RobotMotor]:
        """Those of the file, and what the options add."""
        known = {joint.name for joint in self._assembly.joints if joint.kind != "ball"}
        motors = [motor for motor in self._model.motors if motor.joint in known]
        if self._options.motors != "file":
            driven = {motor.joint for motor in motors}
            for joint in self._assembly.joints:
                if joint.kind != "ball" and joint.name not in driven and joint.mimics is None:
                    limits = {"limit": joint.effort, "speed": joint.speed, "line": joint.line}
                    motors.append(RobotMotor(f"{joint.name}_motor", joint.name, self._options.motors, **limits))  # type: ignore[arg-type]
        driven = {motor.joint for motor in motors}
        for joint in self._assembly.joints:
            effort = None if joint.mimics else joint.effort  # what follows another has that limit
            given = [f"{name} {value:g}" for name, value in (("effort", effort), ("velocity", joint.speed)) if value]
            if given and joint.name not in driven:
                what = f"limits of joint {joint.name}"
                why = f"it follows {joint.mimics[0]}" if joint.mimics else "no motor drives it (--motors adds one)"
                self._report.dropped(joint.line, what, f"{', '.join(given)}: {why}")
        return motors

    def _motor(self, motor: RobotMotor, name: str, joint: str) -> Element:
        element = etree.Element(MOTORS[motor.kind], name=name)
        _text(element, "Joint", joint)
        limit = min(motor.limit or STRONGEST, STRONGEST)
        if motor.kind == "position":
            described = next(one for one in self._assembly.joints if one.name == motor.joint)
            kp = motor.kp or min(STIFF * (motor.limit or 1e4), STRONGEST)
            if not motor.kp:
                self._report.changed(motor.line, f"motor {motor.name}", f"the file gives no gain; Kp is {kp:g}")
            unit = math.degrees(1.0) if described.kind == "hinge" else 1.0
            if described.position:
                _number(element, "Target", unit * described.position)
            _number(element, "Kp", kp)
            _number(element, "Kd", motor.kd if motor.kp else kp / 50)
        _number(element, "TorqueLimit", limit)
        if motor.speed and motor.kind != "velocity":
            _number(element, "SpeedLimit", motor.speed)
        return element

    def _mimic(
        self, joint: RobotJoint, follows: tuple[str, float, float], joints: Mapping[str, str]
    ) -> Iterator[Element]:
        leader, factor, offset = follows
        what = f"mimic of joint {joint.name}"
        if any(motor.joint == joint.name for motor in self._model.motors):
            self._report.dropped(joint.line, what, f"it has a motor of its own, and does not follow {leader}")
            return
        if leader not in joints:
            self._report.dropped(joint.line, what, f"there is no joint {leader} that it could follow")
            return
        element = etree.Element("MimicMotor", name=self._names.make(f"{joints[joint.name]}_mimic"))
        _text(element, "Joint", joints[joint.name])
        _text(element, "Leader", joints[leader])
        _number(element, "Factor", factor)
        _number(element, "Offset", offset * (math.degrees(1.0) if joint.kind == "hinge" else 1.0))
        if joint.effort:
            _number(element, "TorqueLimit", joint.effort)
        yield element

    def _spring(self, joint: RobotJoint, name: str) -> Element:
        element = etree.Element("SpringDamper", name=self._names.make(f"{name}_spring"))
        _text(element, "Joint", name)
        _number(element, "Stiffness", joint.stiffness)
        _number(element, "Rest", joint.rest * (math.degrees(1.0) if joint.kind == "hinge" else 1.0))
        return element


def _paint(element: Element, mesh: PaintedMesh) -> bool:
    """Writes the colours that a mesh has of its own, if any."""
    if mesh.texture and mesh.places is not None:
        _text(element, "Texture", mesh.texture)
        _text(element, "TexturePoints", " ".join(f"{value:.5g}" for value in np.clip(mesh.places, -1e4, 1e4).ravel()))
        return True
    for tag, colors in (("FaceColors", mesh.face_colors), ("VertexColors", mesh.vertex_colors)):
        if colors is not None:
            _text(element, tag, " ".join(map(str, colors.ravel())))
            return True
    return False


def _child(parent: Element, tag: str, **attributes: str) -> Element:
    return etree.SubElement(parent, tag, attributes)


def _text(parent: Element, tag: str, text: str) -> None:
    _child(parent, tag).text = text


def _number(parent: Element, tag: str, value: float) -> None:
    _text(parent, tag, number_text(value))


def _vector(parent: Element, tag: str, values: object) -> None:
    holder = _child(parent, tag)
    for axis, value in zip("xyz", product(np.eye(3), values), strict=True):  # type: ignore[arg-type]
        _number(holder, axis, float(value))
