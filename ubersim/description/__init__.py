"""XML text -> frozen dataclasses: robots, worlds and materials, with all of a document's errors at once."""

from ubersim.description.expansion import expand
from ubersim.description.loading import (
    default_materials,
    default_world,
    document_in,
    load_materials,
    load_robot,
    load_world,
    read_robot,
    read_world,
)
from ubersim.description.mass import MassProperties
from ubersim.description.materials import Materials, Surface
from ubersim.description.materials_file import drawn_materials, read_materials
from ubersim.description.overview import summary
from ubersim.description.ranges import has_ranges
from ubersim.description.resources import shipped, shipped_names
from ubersim.description.robot import BodyDescription, ClientSettings, RobotDescription, SpawnSettings
from ubersim.description.schema import xsd
from ubersim.description.world_file import Ground, SpawnPoint, WorldDescription, WorldSettings

__all__ = [
    "BodyDescription",
    "ClientSettings",
    "Ground",
    "MassProperties",
    "Materials",
    "RobotDescription",
    "SpawnPoint",
    "SpawnSettings",
    "Surface",
    "WorldDescription",
    "WorldSettings",
    "default_materials",
    "default_world",
    "document_in",
    "drawn_materials",
    "expand",
    "has_ranges",
    "load_materials",
    "load_robot",
    "load_world",
    "read_materials",
    "read_robot",
    "read_world",
    "shipped",
    "shipped_names",
    "summary",
    "xsd",
]
