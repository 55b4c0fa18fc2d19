"""URDF -> model. yourdfpy reads links and joints; lines, capsules and what stands beside come from the same tree."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.document import parse
from ubersim.description.mass import MassProperties
from ubersim.description.mesh_library import load_meshes
from ubersim.errors import DescriptionError, Problem
from ubersim.geometry import Pose, Triple
from ubersim.importers.model import JointKind, LinkShape, RobotJoint, RobotLink, RobotModel
from ubersim.importers.options import ImportOptions
from ubersim.importers.packages import MeshFinder
from ubersim.importers.report import ImportReport
from ubersim.importers.urdf_extras import read_extras

KINDS: dict[str, JointKind] = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slider",
    "fixed": "fixed",
    "floating": "free",
    "spherical": "ball",
}
KNOWN_GEOMETRY = ("box", "cylinder", "sphere", "mesh")
NUMBERS = {
    ("origin", "xyz"): 3, ("origin", "rpy"): 3, ("axis", "xyz"): 3, ("box", "size"): 3, ("sphere", "radius"): 1,
    ("cylinder", "radius"): 1, ("cylinder", "length"): 1, ("capsule", "radius"): 1, ("capsule", "length"): 1,
}  # fmt: skip
"""How many there are in each of these attributes."""
KNOWN_ELEMENTS = ("link", "joint", "material", "gazebo", "transmission", "ros2_control")


def read_urdf(path: Path, data: bytes, options: ImportOptions, report: ImportReport) -> RobotModel:
    """The robot of a URDF file; what cannot be read at all is a `DescriptionError`."""
    return _UrdfReader(path, data, options, report).model()


class _UrdfReader:
    def __init__(self, path: Path, data: bytes, options: ImportOptions, report: ImportReport) -> None:
        self._path, self._options, self._report = path, options, report
        self._root = parse(data, str(path))
        if _is_xacro(self._root):
            raise _problem(path, 0, f"this is a xacro file: run `xacro {path.name} > robot.urdf` first, import that")
        self._lines = {element: element.sourceline or 0 for element in self._root.iter("*")}
        self._capsules: dict[tuple[str, str, int], tuple[float, float]] = {}
        self._finder = MeshFinder(path, options.package_path)
        self._loaded: dict[tuple[Path, Triple], Any] = {}

    def model(self) -> RobotModel:
        self._prepare()
        robot = self._parsed()
        if not robot.links:
            raise _problem(self._path, 0, "it has no links")
        model = RobotModel(self._root.get("name") or self._path.stem)
        # A material that one link spells out may be named by the others.
        inner = [visual.material for link in robot.links for visual in link.visuals if visual.material is not None]
        named = [material for material in (*inner, *robot.materials) if material.color is not None]
        self._colors = {material.name: _color(material) for material in named}
        links, joints = self._root.findall("link"), self._root.findall("joint")
        poses = self._poses(robot, links, joints)
        for element, link in zip(links, robot.links, strict=True):
            model.links.append(self._link(element, link, poses[link.name]))
        for element, joint in zip(joints, robot.joints, strict=True):
            model.joints.extend(self._joint(element, joint, poses[joint.child], model))
        read_extras(self._root, model, poses, self._report)
        self._report_unknown()
        return model

    # What yourdfpy would stumble over

    def _prepare(self) -> None:
        """Puts plain stand-ins where yourdfpy knows no element, and remembers what they stand for."""
        self._check_numbers()
        for link in self._root.findall("link"):
            name = link.get("name") or ""
            for kind in ("visual", "collision"):
                for number, holder in enumerate(list(link.findall(kind))):
                    self._prepare_geometry(link, holder, (name, kind, number))

    def _check_numbers(self) -> None:
        """Refuses what is no number, or too few or too many of them, where its line is known."""
        for element in self._root.iter("origin", "axis", "color"):
            for key in ("xyz", "rpy", "rgba"):
                if "," in (value := element.get(key, "")):
                    element.set(key, value.replace(",", " "))
        for (tag, key), count in NUMBERS.items():
            for element in (*self._root.iterfind(f"link//{tag}"), *self._root.iterfind(f"joint//{tag}")):
                words = element.get(key, "0 " * count).split()
                if len(words) != count or not all(map(math.isfinite, map(_number, words))):
                    message = f"{key} of {tag} is {element.get(key)!r:.80}, not {count} finite number{'s'[: count - 1]}"
                    raise _problem(self._path, self._lines[element], message)

    def _prepare_geometry(self, link: Element, holder: Element, key: tuple[str, str, int]) -> None:
        geometry = holder.find("geometry")
        form = next(geometry.iterchildren("*"), None) if geometry is not None else None
        what = f"{key[1]} of link {key[0]}"
        if form is None:
            self._report.dropped(self._lines[holder], what, "it has no geometry")
            link.remove(holder)
        elif form.tag == "capsule":
            self._capsules[key] = float(form.get("radius", "0")), float(form.get("length", "0"))
            form.tag = "cylinder"
        elif form.tag not in KNOWN_GEOMETRY:
            self._report.dropped(self._lines[form], what, f"a {form.tag} is no shape that robots have here")
            link.remove(holder)
        if form is not None and geometry is not None:
            for other in list(geometry.iterchildren("*"))[1:]:
                geometry.remove(other)

    def _parsed(self) -> Any:
        try:
            from yourdfpy import URDF
        except ImportError:
            raise _problem(self._path, 0, "URDF files need yourdfpy: pip install 'ubersim[import]'") from None
        self._root.set("name", self._root.get("name") or self._path.stem)
        try:
            text = io.BytesIO(etree.tostring(self._root))
            return URDF.load(text, build_scene_graph=False, load_meshes=False).robot
        except Exception as error:  # whatever it stumbles over: an attribute that is no number, a missing parent
            raise _problem(self._path, 0, f"cannot be understood: {type(error).__name__}: {error}") from None

    # Where links are

    def _poses(self, robot: Any, links: list[Element], joints: list[Element]) -> dict[str, Pose]:
        """Of every link in model space, all joints at zero; a tree is what they have to be."""
        lines = {element.get("name"): self._lines[element] for element in (*links, *joints)}
        names = [link.name for link in robot.links]
        if twice := {name for name in names if names.count(name) > 1}:
            raise _problem(self._path, lines[min(twice)], f"link {min(twice)!r} is there twice")
        parents: dict[str, Any] = {}
        for joint in robot.joints:
            for end in (joint.parent, joint.child):
                if end not in names:
                    raise _problem(self._path, lines[joint.name], f"joint {joint.name!r} names no link: {end!r}")
            if joint.child in parents:
                other = parents[joint.child].name
                message = f"joint {joint.name!r} and {other!r} both hold link {joint.child!r}: links are a tree"
                raise _problem(self._path, lines[joint.name], message)
            parents[joint.child] = joint
        poses: dict[str, Pose] = {}
        for name in names:
            chain: list[str] = []
            current = name
            while current in parents and current not in poses:
                if len(chain) > len(names):
                    raise _problem(self._path, lines[name], f"link {name!r} hangs on itself: links are a tree")
                chain.append(current)
                current = parents[current].parent
            pose = poses.setdefault(current, Pose())
            for link in reversed(chain):
                poses[link] = pose = pose @ _pose(parents[link].origin)
        return poses

    # Links

    def _link(self, element: Element, link: Any, pose: Pose) -> RobotLink:
        made = RobotLink(link.name, pose, line=self._lines[element])
        made.mass = self._mass(element, link, pose)
        for number, visual in enumerate(link.visuals):
            holder = element.findall("visual")[number]
            shape = self._shape(holder, visual, pose, (link.name, "visual", number))
            if shape is not None:
                shape.color = _color(visual.material) or self._colors.get(getattr(visual.material, "name", None))
                made.visuals.append(shape)
        for number, collision in enumerate(link.collisions):
            holder = element.findall("collision")[number]
            shape = self._shape(holder, collision, pose, (link.name, "collision", number))
            if shape is not None:
                made.collisions.append(shape)
        made.static = link.name == "world" and link.inertial is None
        shapes = f"{len(made.visuals)} to be seen, {len(made.collisions)} to be touched"
        weight = f"{made.mass.mass:.6g} kg, " if made.mass else ""
        self._report.taken(made.line, f"link {link.name}", weight + shapes)
        return made

    def _mass(self, element: Element, link: Any, pose: Pose) -> MassProperties | None:
        given, holder = link.inertial, element.find("inertial")
        if given is None or holder is None:
            return None
        line, what = self._lines[holder], f"inertial of link {link.name}"
        mass = given.mass or 0.0
        tensor = np.zeros((3, 3)) if given.inertia is None else given.inertia
        numbers = np.array([mass, *tensor.ravel(), *_pose(given.origin).position])
        if not np.isfinite(numbers).all() or mass < 0:
            raise _problem(self._path, line, f"{what}: a number is not finite, or the mass is negative")
        return MassProperties(mass, np.zeros(3), tensor).seen_from(pose @ _pose(given.origin))

    def _shape(self, holder: Element, given: Any, pose: Pose, key: tuple[str, str, int]) -> LinkShape | None:
        geometry, line, place = given.geometry, self._lines[holder], pose @ _pose(given.origin)
        if key in self._capsules:
            return LinkShape("capsule", place, self._capsules[key], line=line)
        if geometry.box is not None:
            return LinkShape("box", place, tuple(float(edge) for edge in geometry.box.size), line=line)
        if geometry.sphere is not None:
            return LinkShape("sphere", place, (geometry.sphere.radius,), line=line)
        if geometry.cylinder is not None:
            return LinkShape("cylinder", place, (geometry.cylinder.radius, geometry.cylinder.length), line=line)
        name, factors = (
            geometry.mesh.filename or "",
            np.atleast_1d(1.0 if geometry.mesh.scale is None else geometry.mesh.scale),
        )
        scale = np.ones(3) * (factors[:3] if len(factors) >= 3 else factors[:1])
        try:
            found = self._finder.find(name)
            key_of = (found, (float(scale[0]), float(scale[1]), float(scale[2])))
            if key_of not in self._loaded:
                self._loaded[key_of] = _scaled(load_meshes(found), scale)
        except ValueError as error:
            self._report.dropped(line, f"{key[1]} of link {key[0]}", f"mesh {name!r}: {error}")
            return None
        return LinkShape("mesh", place, meshes=self._loaded[key_of], line=line, source=found)

    # Joints

    def _joint(self, element: Element, joint: Any, pose: Pose, model: RobotModel) -> Iterator[RobotJoint]:
        line, what = self._lines[element], f"joint {joint.name}"
        if joint.type == "planar":
            yield from self._planar(joint, pose, line, model)
            return
        if joint.type not in KINDS:
            self._report.changed(line, what, f"type {joint.type!r} is not known; it is fixed")
        made = RobotJoint(joint.name, KINDS.get(joint.type, "fixed"), joint.parent, joint.child, line=line)
        made.anchor, made.axis = _triple(pose.position), _triple(pose.turn(joint.axis))
        if made.kind in ("hinge", "slider"):
            if not np.isfinite(joint.axis).all() or np.abs(joint.axis).max() < 1e-9:
                raise _problem(self._path, line, f"{what}: its axis is no direction")
            self._limits(made, joint)
            made.damping, made.friction = _dynamics(joint, "damping"), _dynamics(joint, "friction")
            if joint.mimic is not None:
                made.mimics = joint.mimic.joint, float(joint.mimic.multiplier), float(joint.mimic.offset)
        for part in ("calibration", "safety_controller"):
            if getattr(joint, part) is not None:
                self._report.dropped(line, f"{part} of joint {joint.name}", "there is nothing like it here")
        self._report.taken(line, what, joint.type or "")
        yield made

    def _limits(self, made: RobotJoint, joint: Any) -> None:
        limit = joint.limit
        if limit is None:
            if joint.type != "continuous":
                self._report.changed(made.line, f"joint {joint.name}", "it has no limit; it moves freely")
            return
        made.effort, made.speed = limit.effort, limit.velocity
        if joint.type == "continuous":
            return
        low, high = limit.lower or 0.0, limit.upper or 0.0
        if low > high:
            self._report.changed(
                made.line, f"joint {joint.name}", f"its limits {low:g} to {high:g} cross; it moves freely"
            )
        elif low == high == 0.0 and limit.lower is None:
            self._report.changed(made.line, f"joint {joint.name}", "its limit gives no range; it moves freely")
        else:
            made.low, made.high = low, high

    def _planar(self, joint: Any, pose: Pose, line: int, model: RobotModel) -> Iterator[RobotJoint]:
        """Two sliders and a hinge, with two small links between them."""
        normal = np.asarray(joint.axis, dtype=float)
        first = np.cross(normal, [1.0, 0, 0] if abs(normal[0]) < 0.9 else [0, 1.0, 0])
        axes = {"_x": first, "_y": np.cross(normal, first), "": normal}
        parent = joint.parent
        for ending, axis in axes.items():
            child = joint.child if not ending else f"{joint.name}{ending}"
            if ending:
                model.links.append(RobotLink(child, pose, line=line))
            kind: JointKind = "slider" if ending else "hinge"
            yield RobotJoint(
                joint.name + ending, kind, parent, child, _triple(pose.position), _triple(pose.turn(axis)), line=line
            )
            parent = child
        self._report.changed(line, f"joint {joint.name}", "planar: two sliders and a hinge")

    def _report_unknown(self) -> None:
        for element in self._root.iterchildren("*"):
            if element.tag not in KNOWN_ELEMENTS:
                self._report.dropped(self._lines.get(element, 0), str(element.tag), "there is nothing like it here")


def _is_xacro(root: Element) -> bool:
    """Whether macros are left in it; files that were made of some often say so in vain."""
    return any("xacro" in str(element.tag) for element in root.iter("*")) or any(
        "${" in str(value) or "$(" in str(value) for element in root.iter("*") for value in element.attrib.values()
    )


def _number(word: str) -> float:
    """NaN if it is none."""
    try:
        return float(word)
    except ValueError:
        return math.nan


def _dynamics(joint: Any, name: str) -> float:
    try:
        return max(float(getattr(joint.dynamics, name) or 0.0), 0.0)
    except (AttributeError, ValueError):
        return 0.0


def _color(material: Any) -> Triple | None:
    if material is None or material.color is None:
        return None
    red, green, blue = (float(part) for part in np.clip(np.nan_to_num(material.color.rgba[:3]), 0, 1))
    return red, green, blue


def _pose(matrix: Any) -> Pose:
    return Pose() if matrix is None else Pose(np.array(matrix[:3, 3]), np.array(matrix[:3, :3]))


def _triple(values: Any) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _scaled(meshes: list[Any], scale: Any) -> list[Any]:
    turned = bool(np.prod(scale) < 0)  # a mirror turns triangles inside out
    return [
        replace(mesh, vertices=mesh.vertices * scale, triangles=mesh.triangles[:, ::-1] if turned else mesh.triangles)
        for mesh in meshes
    ]


def _problem(path: Path, line: int, message: str) -> DescriptionError:
    return DescriptionError(str(path), [Problem(line, "", message)])
