#!/usr/bin/env python3
"""Drives the car in figures of eight: a full circle to the left, one to the right, by the heading of its IMU.

ubersim serve                                 # in one terminal
python clients/car_eight.py                   # in another
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from program import heading_of, run  # beside this file

import ubersim

RADIUS = 1.2
"""Of both circles [m]."""
SPEED = 1.5
"""[m/s]"""


def eights(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Switches the side whenever the car has turned once around."""
    side, circles, last, turned = 1.0, 0, 0.0, 0.0
    robot.set("Drive", "Curvature", side / RADIUS)
    robot.set("Drive", "Speed", SPEED)
    for frame in frames:
        if "Imu" not in frame:
            continue
        heading = heading_of(np.asarray(frame["Imu"])[:4])
        turned += math.remainder(heading - last, math.tau)
        last = heading
        if side * turned >= math.tau:
            turned -= side * math.tau
            side, circles = -side, circles + 1
            robot.set("Drive", "Curvature", side / RADIUS)
    return f"{circles / 2:g} figures of eight with circles of {RADIUS} m radius, at {SPEED} m/s"


if __name__ == "__main__":
    run("Drives the car in figures of eight.", "car", eights)
