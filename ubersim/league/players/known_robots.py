"""The robots that the players know: how they drive, how far they reach, what they kick with."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ubersim.league.player_robot import PlayerRobot

Vector = tuple[float, float]


@dataclass(frozen=True)
class KnownRobot:
    """A robot on omni wheels with a kicker."""

    wheels: dict[str, float]
    """Azimuth of each wheel by the name of its joint, from the robot's right (+x) counterclockwise [degrees]."""
    distance: float
    """Of the wheels from the middle [m]."""
    wheel_radius: float
    reach: float
    """From the robot's middle to that of a ball before its kicker [m]."""
    radius: float
    """Of the robot [m]."""
    speed: float
    """As fast as it drives [m/s]."""
    acceleration: float
    """As fast as it gets faster without slipping [m/s^2]."""
    turning: float
    """As fast as it turns [rad/s]."""
    shot: float
    """Distance from which it shoots at a goal [m]."""
    dribbler: str = ""
    """A joint that pulls the ball in."""

    def drive(self, me: PlayerRobot, right: float, forward: float, turning: float) -> None:
        """Commands a velocity in the robot's frame [m/s], and turning to the left [rad/s]."""
        for name, degrees in self.wheels.items():
            azimuth = math.radians(degrees)
            along = forward * math.cos(azimuth) - right * math.sin(azimuth)
            me.set(name, "Vel", (along + turning * self.distance) / self.wheel_radius)


MSL = KnownRobot(
    {"Right": 30.0, "Left": 150.0, "Rear": 270.0},
    distance=0.17,
    wheel_radius=0.05,
    reach=0.335,
    radius=0.26,
    speed=2.2,
    acceleration=2.5,
    turning=4.0,
    shot=8.0,
)
SSL = KnownRobot(
    {"FR": 33.0, "FL": 147.0, "RL": 225.0, "RR": 315.0},
    distance=0.072,
    wheel_radius=0.027,
    reach=0.093,
    radius=0.09,
    speed=1.6,
    acceleration=2.5,
    turning=6.0,
    shot=3.0,
    dribbler="Dribbler",
)


def model_of(me: PlayerRobot) -> KnownRobot:
    """Which of them a robot is, by its sensors: the one looks around itself, the other is seen from above."""
    return SSL if "Vision" in me.sensors else MSL
