"""Descriptions become physics here: one ODE world behind a small C kernel."""

from ubersim.world.axis import DrivenAxis
from ubersim.world.bundle import Bundle
from ubersim.world.handles import Body, Geom
from ubersim.world.joint import AXIS, KINDS, PROPERTIES, Joint
from ubersim.world.piece import Piece
from ubersim.world.queries import Contacts, RayHits
from ubersim.world.world import World

__all__ = [
    "AXIS",
    "KINDS",
    "PROPERTIES",
    "Body",
    "Bundle",
    "Contacts",
    "DrivenAxis",
    "Geom",
    "Joint",
    "Piece",
    "RayHits",
    "World",
]
