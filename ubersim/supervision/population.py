"""Robots and objects that a supervisor brings and takes away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from ubersim.description import read_robot
from ubersim.description.document import parse
from ubersim.errors import UberSimError
from ubersim.geometry import Array, Triple
from ubersim.supervision.command import SupervisorCommand

if TYPE_CHECKING:
    from ubersim.supervision.interventions import Interventions


@dataclass(frozen=True, kw_only=True)
class Spawn(SupervisorCommand):
    """Brings a robot without a client, or an object, which is a robot with one body and nothing else."""

    xml: str
    """The document: root `Client` for a robot, root `Body` for an object, as in a world's `Objects`."""
    name: str | None = None
    """What it is called; without it, as the document says."""
    position: Triple | None = None
    """Where the origin of its model goes [m]; without it, as the document says, or at a free place on the ground."""
    heading: float = 0.0
    """Turns it about +z, if `position` is given [rad]."""

    def do(self, to: Interventions) -> dict[str, Any]:
        simulation = to.simulation
        description = read_robot(_robot(self.xml), materials=simulation.materials)
        if (self.name or description.name) in simulation.objects:
            raise UberSimError(f"an object named {self.name or description.name!r} is in the world already")
        robot = simulation.spawn(description, name=self.name, position=self.position, heading=self.heading)
        where: Array = robot.spawned_at.position
        return {"name": robot.name, "position": where.tolist()}


@dataclass(frozen=True, kw_only=True)
class Remove(SupervisorCommand):
    """Takes a robot or a spawned object out of the world; a robot's client is told so, and has to go."""

    thing: str
    """Its name."""

    def do(self, to: Interventions) -> dict[str, Any]:
        if self.thing in to.simulation.objects:
            raise UberSimError(f"{self.thing!r} is part of the world's file and stays; Teleport puts it out of the way")
        to.simulation.remove(self.thing)
        return {}


def _robot(xml: str) -> str:
    """The document of a robot, also for an object's."""
    root = parse(xml, "<spawned>")
    if root.tag != "Body":
        return xml
    body = ElementTree.tostring(ElementTree.fromstring(xml), encoding="unicode")
    settings = f"<CSettings><Name>{escape(root.get('name') or '')}</Name></CSettings>"
    return f"<Client>{settings}<Entity><RigidBodies>{body}</RigidBodies><Joints/></Entity></Client>"
