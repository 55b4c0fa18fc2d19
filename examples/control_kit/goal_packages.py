"""What the modules of the goal finder exchange. Angles are to the left, seen from the robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ubersim.control import Commands, SensorReading, Sets


class LaserScan(SensorReading, sensor="Laser"):
    """361 distances over 180 degrees, from right to left [m]."""


class SonarLeft(SensorReading, sensor="Sonar2"):
    """30 degrees to the left [m]."""


class SonarAheadLeft(SensorReading, sensor="Sonar3"):
    """10 degrees to the left [m]."""


class SonarAheadRight(SensorReading, sensor="Sonar4"):
    """10 degrees to the right [m]."""


class SonarRight(SensorReading, sensor="Sonar5"):
    """30 degrees to the right [m]."""


class Odometry(SensorReading, sensor="Odometry"):
    """x to the right, y ahead [m] and heading [rad] since the start."""


@dataclass(frozen=True)
class Sectors:
    """How far the robot can see: directions [rad], and the distance to the nearest thing in each [m]."""

    bearings: tuple[float, ...]
    distances: tuple[float, ...]


@dataclass(frozen=True)
class Where:
    """The robot's pose as it believes it to be: x, y [m], heading [rad], since the start."""

    x: float
    y: float
    heading: float


@dataclass(frozen=True)
class Aim:
    """Where to go, seen from the robot."""

    bearing: float
    distance: float


@dataclass(frozen=True)
class Course:
    """Which way to drive [rad], and how fast [m/s]."""

    bearing: float
    speed: float


@dataclass(frozen=True)
class Wheels(Commands):
    """Speeds of both wheels [rad/s]."""

    left: Annotated[float, Sets("LMotor", "Speed")]
    right: Annotated[float, Sets("RMotor", "Speed")]
