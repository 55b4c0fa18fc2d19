"""XML text -> frozen dataclasses: robots, worlds and materials, with all of a document's errors at once."""

from ubersim.description.loading import load_robot, read_robot
from ubersim.description.mass import MassProperties
from ubersim.description.materials import Materials, Surface
from ubersim.description.robot import BodyDescription, ClientSettings, RobotDescription, Spawn

__all__ = [
    "BodyDescription",
    "ClientSettings",
    "MassProperties",
    "Materials",
    "RobotDescription",
    "Spawn",
    "Surface",
    "load_robot",
    "read_robot",
]
