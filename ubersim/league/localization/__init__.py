"""Where a robot is, whatever its sensors are: models learned by driving over a field, and particles on them."""

from ubersim.league.localization.grid import PoseGrid
from ubersim.league.localization.learning import learn_map
from ubersim.league.localization.localizer import Estimate, Localizer, MotionNoise
from ubersim.league.localization.perceptual_model import PerceptualModel, Tolerance
from ubersim.league.localization.sensor_map import SensorMap

__all__ = ["Estimate", "Localizer", "MotionNoise", "PerceptualModel", "PoseGrid", "SensorMap", "Tolerance", "learn_map"]
