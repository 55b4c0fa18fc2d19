"""What the caller of an import decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MeshMode = Literal["hull", "convex", "primitive", "trimesh"]
MotorMode = Literal["file", "position", "velocity", "torque"]


@dataclass(frozen=True)
class ImportOptions:
    """How a file is read."""

    fixed_base: bool = False
    """Whether the robot's first link is fixed to the world."""
    meshes: MeshMode = "hull"
    """What meshes collide as: their convex hull, convex pieces, the simplest shape around them, their triangles."""
    repair: bool = False
    """Whether meshes that are not closed are mended, where that is safe."""
    forward: Literal["x", "y"] = "x"
    """Which axis of the file points ahead; ours is y."""
    package_path: tuple[Path, ...] = ()
    """Where packages are looked for, beside the folders above the file and ROS_PACKAGE_PATH."""
    motors: MotorMode = "file"
    """What joints without a motor get; `file`: none."""
    self_collision: bool | None = None
    """Whether links collide with each other; None: as simulators of the format do."""
    material: str = "Plastic"
    """What solids are made of."""
