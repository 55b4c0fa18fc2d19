"""What one robot may cost the others: looked at before it is spent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ubersim.description import RobotDescription
from ubersim.errors import BudgetError
from ubersim.physics.joint_kinds import KINDS


@dataclass(frozen=True)
class RobotBudget:
    """Bounds for each robot of strangers; their programs get an `Error` beyond."""

    bodies: int = 256
    """Bodies, those of its wheels' rollers among them."""
    solids: int = 1024
    """Solids of all bodies together."""
    rows: int = 2048
    """Rows of constraints that its joints may need: what they hold together, and each axis's motor and stop."""
    contacts: int = 1024
    """Points in which it touches itself and others in one step."""
    sight: float = 4 * 2.0**30
    """Bytes of pictures that are drawn for it in a simulated second; each sample of a pixel and each ray counts."""

    triangles: int = 250_000
    """Triangles of all its meshes together, drawn ones among them."""
    texture_pixels: int = 32 * 2**20
    """Pixels of the textures of all its meshes; one that two meshes have counts twice."""
    all_triangles: int = 2_500_000
    """Triangles of all robots together that are in the world."""

    def check(self, robot: RobotDescription) -> None:
        """Refuses a robot that costs too much, before anything of it is built."""
        for what, count, most in self._counts(robot):
            if count > most:
                raise BudgetError(f"{robot.name} has {count} {what}; this server allows a robot {most}")

    def check_beside(self, robot: RobotDescription, others: Iterable[RobotDescription]) -> None:
        """Refuses a robot that is too much together with those who are in the world."""
        count = robot.triangle_count
        if count and count + sum(other.triangle_count for other in others) > self.all_triangles:
            most = f"this server allows all robots together {self.all_triangles}"
            raise BudgetError(f"{robot.name} has {count} triangles, too many beside the others'; {most}")

    def _counts(self, robot: RobotDescription) -> Iterator[tuple[str, int, int]]:
        yield "bodies", len(robot.bodies), self.bodies
        yield "solids", sum(len(body.solids) for body in robot.bodies), self.solids
        yield "rows of constraints", sum(KINDS[joint.kind].rows for joint in robot.joints), self.rows
        yield "triangles", robot.triangle_count, self.triangles
        yield "pixels of textures", robot.texture_pixels, self.texture_pixels
