"""Robots of other formats -> our documents: URDF and MJCF in, and out again."""

from ubersim.importers.loading import load_robot
from ubersim.importers.options import ImportOptions
from ubersim.importers.reading import ImportedRobot, import_robot
from ubersim.importers.report import ImportReport

__all__ = ["ImportOptions", "ImportReport", "ImportedRobot", "import_robot", "load_robot"]
