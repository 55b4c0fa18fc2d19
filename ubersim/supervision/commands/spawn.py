"""`Spawn`: a robot or an object comes into the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from ubersim.description import read_robot
from ubersim.description.document import parse
from ubersim.errors import UberSimError
from ubersim.geometry import Array, Triple
from ubersim.simulation.clearance import Overlap
from ubersim.supervision.command import Effect, Reply, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True)
class SpawnReply(Reply):
    """What has come."""

    name: str
    """How it is called."""
    position: list[float]
    """Where its model's origin is [m]."""


@dataclass(frozen=True, kw_only=True)
class Spawn(SupervisorCommand):
    """Brings a robot without a client, or an object, which is a robot with one body and nothing else."""

    effect: ClassVar[Effect] = Effect.TOLD
    xml: str
    """The document: root `Client` for a robot, root `Body` for an object, as in a world's `Objects`."""
    name: str | None = None
    """What it is called; without it, as the document says."""
    position: Triple | None = None
    """Where the origin of its model goes [m]; without it, as the document says, or at a free place on the ground."""
    heading: float = 0.0
    """Turns it about +z, if `position` is given [rad]."""
    overlap: Overlap = "refuse"
    """If it would be in something solid there: `refuse`, `lift` it until it is on top, or `allow` it."""

    def execute(self, context: CommandContext) -> SpawnReply:
        simulation = context.simulation
        description = read_robot(_robot(self.xml), materials=simulation.materials, seed=simulation.seed, name=self.name)
        if (self.name or description.name) in simulation.objects:
            raise UberSimError(f"an object named {self.name or description.name!r} is in the world already")
        robot = simulation.spawn(
            description, name=self.name, position=self.position, heading=self.heading, overlap=self.overlap
        )
        where: Array = robot.spawned_at.position
        return SpawnReply(robot.name, where.tolist())


def _robot(xml: str) -> str:
    """The document of a robot, also for an object's."""
    root = parse(xml, "<spawned>")
    if root.tag != "Body":
        return xml
    body = ElementTree.tostring(ElementTree.fromstring(xml), encoding="unicode")
    settings = f"<CSettings><Name>{escape(root.get('name') or '')}</Name></CSettings>"
    return f"<Client>{settings}<Entity><RigidBodies>{body}</RigidBodies><Joints/></Entity></Client>"
