#!/usr/bin/env python3
"""Lets the Scout wander, by its sonars alone: straight on where it is free, away from what is near, never touching.

ubersim serve --world worlds/office.xml       # in one terminal
python clients/scout_wander.py                # in another
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from program import run  # beside this file

import ubersim

WHEEL_RADIUS, TRACK = 0.07, 0.345
"""Of the Scout [m]."""
SONARS = 16
CRUISE, CREEP = 0.5, 0.05
"""Speed where nothing is in the way, and the least while it turns away [m/s]."""
FREE, NEAR = 1.0, 0.35
"""Distances ahead: with more it cruises, with less it turns on the spot [m]."""
SHY = 1.2
"""Turning of one sonar that has something right before it [rad/s]."""


def course(distances: list[float], turning: float) -> tuple[float, float]:
    """Forward speed [m/s] and turning [rad/s, to the left] that answer a ring of distances, which starts in front."""
    ahead = min(distances[number % SONARS] for number in (-2, -1, 0, 1, 2))
    if ahead < NEAR:  # the side that is freer; once chosen it stays chosen, or it would dither in a corner
        left, right = (sum(min(distances[sign * number % SONARS], 2.0) for number in range(1, 5)) for sign in (1, -1))
        return 0.0, math.copysign(SHY, turning if abs(turning) == SHY else left - right)
    push = 0.0
    for number in range(1, 5):
        angle = number * math.tau / SONARS
        for side in (-1, 1):
            nearness = max(0.0, 1.0 - distances[side * number % SONARS] / FREE)
            push -= side * SHY * nearness * math.cos(angle / 1.3)
    speed = CREEP + (CRUISE - CREEP) * min(1.0, (ahead - NEAR) / (FREE - NEAR))
    return speed, max(-0.9 * SHY, min(0.9 * SHY, push))


def wander(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Answers every round of the sonars with a speed for each wheel."""
    turning, nearest, bumps, way = 0.0, math.inf, 0, 0.0
    place: tuple[float, float] | None = None
    for frame in frames:
        bumps += "Bumper" in frame and bool(frame["Bumper"])
        if "Odometry" in frame:
            x, y = map(float, np.asarray(frame["Odometry"])[:2])
            way += 0.0 if place is None else math.dist(place, (x, y))
            place = x, y
        if "Sonar0" not in frame:
            continue
        distances = [float(frame[f"Sonar{number}"]) for number in range(SONARS)]
        nearest = min(nearest, *distances)
        speed, turning = course(distances, turning)
        for motor, side in (("LMotor", -1), ("RMotor", 1)):
            robot.set(motor, "Speed", (speed + side * turning * TRACK / 2) / WHEEL_RADIUS)
    return f"wandered {way:.1f} m by odometry, never nearer than {nearest:.2f} m to anything, touched in {bumps} frames"


if __name__ == "__main__":
    run("Lets the Scout wander among obstacles.", "scout", wander)
