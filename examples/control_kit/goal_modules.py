"""Five tasks of a goal finder, with two solutions each. None of them knows where its robot is."""

from __future__ import annotations

import math

import numpy as np
from goal_packages import (
    Aim,
    Course,
    LaserScan,
    Odometry,
    Sectors,
    SonarAheadLeft,
    SonarAheadRight,
    SonarLeft,
    SonarRight,
    Wheels,
    Where,
)

from ubersim.control import Last, Layout, Module, Process, Solutions, Tick

WHEEL_RADIUS, TRACK = 0.0825, 0.33
"""Of the Pioneer [m]."""
REACHED = 0.15
"""So near to the goal it stops [m]."""
FAR = 4.0
"""What is farther away does not matter [m]."""


def turned(angle: float) -> float:
    """The same angle between -pi and pi."""
    return math.remainder(angle, math.tau)


# look: Sectors


class ByLaser(Module):
    """The nearest thing in each of 13 directions."""

    def update(self, scan: LaserScan) -> Sectors:
        beams = np.minimum(np.asarray(scan.value, dtype=float), FAR)
        angles = np.linspace(-math.pi / 2, math.pi / 2, len(beams))
        bearings = tuple(math.radians(degrees) for degrees in range(-84, 85, 14))
        near = tuple(float(beams[abs(angles - bearing) < math.radians(7)].min()) for bearing in bearings)
        self.log("nearest", min(near))
        return Sectors(bearings, near)


class BySonar(Module):
    """Four cones of sound."""

    def update(
        self, left: SonarLeft, ahead_left: SonarAheadLeft, ahead_right: SonarAheadRight, right: SonarRight
    ) -> Sectors:
        bearings = tuple(math.radians(degrees) for degrees in (30, 10, -10, -30))
        sonars = (left, ahead_left, ahead_right, right)
        return Sectors(bearings, tuple(min(FAR, float(sonar.value)) for sonar in sonars))


# locate: Where


class ByOdometry(Module):
    """Believes the wheels."""

    def update(self, odometry: Odometry) -> Where:
        x, y, heading = (float(part) for part in odometry.value[:3])
        return Where(x, y, heading)


class ByCommands(Module):
    """Believes that the wheels did as they were told, from where it was when it took over."""

    def update(self, tick: Tick, wheels: Last[Wheels], before: Last[Where]) -> Where:
        here = before or Where(0.0, 0.0, 0.0)
        if wheels is None:
            return here
        way = WHEEL_RADIUS * 0.5 * (wheels.left + wheels.right) * tick.step
        turn = WHEEL_RADIUS * (wheels.right - wheels.left) / TRACK * tick.step
        heading = here.heading + 0.5 * turn
        return Where(here.x - way * math.sin(heading), here.y + way * math.cos(heading), here.heading + turn)


# aim: Aim


class Straight(Module):
    """To the goal."""

    def __init__(self) -> None:
        self.x = self.parameter("goal.x", 0.0, low=-20.0, high=20.0)
        self.y = self.parameter("goal.y", 5.0, low=-20.0, high=20.0)

    def update(self, where: Where) -> Aim:
        return aim_at(where, float(self.x), float(self.y))


class RoundTheLeft(Module):
    """To a point on the left first."""

    def __init__(self) -> None:
        self.x = self.parameter("goal.x", 0.0, low=-20.0, high=20.0)
        self.y = self.parameter("goal.y", 5.0, low=-20.0, high=20.0)
        self._passed = False

    def update(self, where: Where) -> Aim:
        way_point = float(self.x) - 0.6, 0.5 * float(self.y)
        aim = aim_at(where, *way_point)
        self._passed = self._passed or aim.distance < 0.5 or where.y > way_point[1]
        return aim_at(where, float(self.x), float(self.y)) if self._passed else aim


def aim_at(where: Where, x: float, y: float) -> Aim:
    """A place seen from the robot."""
    right, ahead = x - where.x, y - where.y
    return Aim(turned(math.atan2(-right, ahead) - where.heading), math.hypot(right, ahead))


# avoid: Course


class PushedAway(Module):
    """The goal draws, obstacles push."""

    def __init__(self) -> None:
        self.push = self.parameter("push", 0.35, low=0.0, high=2.0)

    def update(self, aim: Aim, sectors: Sectors) -> Course:
        right, ahead = math.sin(-aim.bearing), math.cos(aim.bearing)
        for bearing, distance in zip(sectors.bearings, sectors.distances, strict=True):
            force = float(self.push) * max(0.0, 1.0 / max(distance, 0.1) - 1.0 / 1.5)
            right -= force * math.sin(-bearing)
            ahead -= force * math.cos(bearing)
        return Course(math.atan2(-right, max(ahead, 0.05)), speed_for(aim, sectors))


class WidestGap(Module):
    """The open direction that is next to the goal's."""

    def update(self, aim: Aim, sectors: Sectors) -> Course:
        open_ones = [
            bearing
            for bearing, distance in zip(sectors.bearings, sectors.distances, strict=True)
            if distance > min(1.2, aim.distance)
        ]
        choices = open_ones or [sectors.bearings[int(np.argmax(sectors.distances))]]
        if min(sectors.distances) > 1.2:
            choices = [aim.bearing]
        return Course(min(choices, key=lambda bearing: abs(turned(bearing - aim.bearing))), speed_for(aim, sectors))


def speed_for(aim: Aim, sectors: Sectors) -> float:
    """Slow where something is near, or the goal; 0 at the goal [m/s]."""
    if aim.distance < REACHED:
        return 0.0
    return max(0.1, min(0.6, 0.5 * min(sectors.distances), 0.8 * aim.distance))


# drive: Wheels


class Smooth(Module):
    """Turns while it drives, and never jerks."""

    def __init__(self) -> None:
        self._speed = 0.0

    def update(self, course: Course) -> Wheels:
        wanted = course.speed * max(0.0, math.cos(course.bearing))
        self._speed += max(-0.05, min(0.02, wanted - self._speed))
        return wheels_for(self._speed, 0.0 if course.speed == 0.0 else 1.8 * course.bearing)


class TurnFirst(Module):
    """Turns on the spot until it looks about the right way."""

    def update(self, course: Course) -> Wheels:
        if course.speed == 0.0:
            return wheels_for(0.0, 0.0)
        return wheels_for(course.speed if abs(course.bearing) < 0.35 else 0.0, 1.5 * course.bearing)


def wheels_for(speed: float, rate: float) -> Wheels:
    """The wheels' speeds [rad/s] for the robot's [m/s, rad/s]."""
    return Wheels((speed - 0.5 * TRACK * rate) / WHEEL_RADIUS, (speed + 0.5 * TRACK * rate) / WHEEL_RADIUS)


LOOK = Solutions("look", ByLaser, BySonar)
LOCATE = Solutions("locate", ByOdometry, ByCommands)
AIM = Solutions("aim", Straight, RoundTheLeft)
AVOID = Solutions("avoid", PushedAway, WidestGap)
DRIVE = Solutions("drive", Smooth, TurnFirst)

THREE = Layout(Process("perception", LOOK, LOCATE), Process("behaviour", AIM, AVOID), Process("motion", DRIVE))
ONE = THREE.together()
