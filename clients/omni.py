"""Driving on omni wheels: from a wanted motion of the robot to the speeds of its wheels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import ubersim


@dataclass(frozen=True)
class Platform:
    """Where the wheels are."""

    wheels: dict[str, float]
    """Azimuth of each wheel by the name of its joint, from the robot's right (+x) counterclockwise [degrees]."""
    distance: float
    """Of the wheels from the middle [m]."""
    radius: float
    """Of a wheel [m]."""

    def speeds(self, right: float, forward: float, turning: float) -> dict[str, float]:
        """Speeds of the joints [rad/s] for a velocity in the robot's frame [m/s], and turning to the left [rad/s]."""
        found = {}
        for name, degrees in self.wheels.items():
            azimuth = math.radians(degrees)
            along = forward * math.cos(azimuth) - right * math.sin(azimuth)  # counterclockwise around the robot
            found[name] = (along + turning * self.distance) / self.radius
        return found

    def drive(self, robot: ubersim.RemoteRobot, right: float, forward: float, turning: float) -> None:
        """Commands these speeds."""
        for name, speed in self.speeds(right, forward, turning).items():
            robot.set(name, "Vel", speed)


def seen_from(heading: float, x: float, y: float) -> tuple[float, float]:
    """A vector of the world, to the right and forward of a robot that is turned by `heading` [rad]."""
    return x * math.cos(heading) + y * math.sin(heading), y * math.cos(heading) - x * math.sin(heading)


def limited(x: float, y: float, most: float) -> tuple[float, float]:
    """A vector, cut to a length."""
    length = math.hypot(x, y)
    return (x, y) if length <= most else (x / length * most, y / length * most)
