"""A robot between two formats: links, joints, motors and sensors, all in one model space, in the pose of the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ubersim.description.mass import MassProperties
from ubersim.description.mesh_library import PaintedMesh
from ubersim.geometry import Pose, Triple

ShapeKind = Literal["box", "sphere", "cylinder", "capsule", "mesh"]
JointKind = Literal["hinge", "slider", "ball", "fixed", "free"]
MotorKind = Literal["position", "velocity", "torque"]


@dataclass(eq=False)
class LinkShape:
    """Something to collide with, or to be seen."""

    kind: ShapeKind
    """What it is."""
    pose: Pose
    """In model space."""
    size: tuple[float, ...] = ()
    """Edges of a box; radius, and height without caps, of the round ones [m]."""
    color: Triple | None = None
    """What it looks like; None: nothing is said."""
    meshes: list[PaintedMesh] = field(default_factory=list)
    """The triangles of a mesh [m]; several where its file has several textures."""
    line: int = 0
    """In the source."""
    source: Path | None = None
    """The file of the mesh."""


@dataclass(eq=False)
class RobotLink:
    """A rigid part; parts that are fixed to each other become one body."""

    name: str
    pose: Pose
    """Of its own frame, in model space."""
    mass: MassProperties | None = None
    """In model space; None: nothing is said."""
    collisions: list[LinkShape] = field(default_factory=list)
    visuals: list[LinkShape] = field(default_factory=list)
    static: bool = False
    """Whether it is part of the world."""
    line: int = 0


@dataclass(eq=False)
class RobotJoint:
    """What connects a link to its parent."""

    name: str
    kind: JointKind
    parent: str | None
    """None: the static world."""
    child: str
    anchor: Triple = (0.0, 0.0, 0.0)
    """In model space [m]."""
    axis: Triple = (1.0, 0.0, 0.0)
    """In model space."""
    low: float | None = None
    """Lower stop [rad or m]; None: there is none."""
    high: float | None = None
    effort: float | None = None
    """The most that a motor exerts [N m or N]."""
    speed: float | None = None
    """The fastest that a motor goes [rad/s or m/s]."""
    damping: float = 0.0
    """[N m s/rad or N s/m]"""
    friction: float = 0.0
    """[N m or N]"""
    armature: float = 0.0
    """[kg m^2 or kg]"""
    stiffness: float = 0.0
    """Of a spring in it [N m/rad or N/m]."""
    rest: float = 0.0
    """Where that spring is relaxed [rad or m]."""
    position: float = 0.0
    """What it reads in the pose of the model [rad or m]."""
    mimics: tuple[str, float, float] | None = None
    """Another joint, a factor on its position, and what is added."""
    line: int = 0


@dataclass(eq=False)
class RobotMotor:
    """What drives a joint."""

    name: str
    joint: str
    kind: MotorKind
    kp: float = 0.0
    kd: float = 0.0
    limit: float | None = None
    speed: float | None = None
    line: int = 0


@dataclass(eq=False)
class RobotSensor:
    """Something that measures, as an element of our documents."""

    name: str
    tag: str
    link: str
    pose: Pose
    """In model space; looks along its own +y, with +z up."""
    fields: dict[str, str] = field(default_factory=dict)
    """The rest of the element: texts by tags."""
    line: int = 0


@dataclass(eq=False)
class RobotModel:
    """All of it."""

    name: str
    links: list[RobotLink] = field(default_factory=list)
    joints: list[RobotJoint] = field(default_factory=list)
    motors: list[RobotMotor] = field(default_factory=list)
    sensors: list[RobotSensor] = field(default_factory=list)
    loops: list[RobotJoint] = field(default_factory=list)
    """Joints beyond the tree: balls and fixed ones, between links that hang elsewhere."""
    self_collision: bool = False
    """Whether its links collide with each other."""
    placed: bool = False
    """Whether it belongs where its file has it, not on the ground of wherever it is put."""

    def link(self, name: str) -> RobotLink:
        """The link of a name."""
        return next(link for link in self.links if link.name == name)
