#!/usr/bin/env python3
"""Lets the Pioneer follow the wall on its right, at a given distance, by its laser alone.

ubersim serve --world worlds/office.xml       # in one terminal
python clients/pioneer_wall.py                # in another
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from program import run  # beside this file

import ubersim

WHEEL_RADIUS, TRACK = 0.0825, 0.33
"""Of the Pioneer [m]."""
SPEED = 0.5
"""Where nothing is ahead [m/s]."""
DISTANCE = 0.6
"""From the laser to the wall that is kept [m]."""
LOOK_AHEAD = 0.8
"""Where on its way it wants to be at that distance [m]."""
HALF_WIDTH = 0.30
"""Of the lane ahead that has to be free [m]."""
SHARPEST = 1.2
"""Turning at most [rad/s]."""

Scan = NDArray[np.floating]


def course(scan: Scan) -> tuple[float, float, float]:
    """Forward speed [m/s], turning [rad/s, to the left], and the distance of the wall on the right [m]."""
    angles = np.linspace(-math.pi / 2, math.pi / 2, len(scan))  # from right to left, 0 is ahead
    reach = np.where(np.isfinite(scan), scan, 8.0)
    right, ahead = -reach * np.sin(angles), reach * np.cos(angles)
    lane = ahead[np.abs(right) < HALF_WIDTH]
    free = float(lane.min()) if len(lane) else 8.0
    wall = float(reach[angles < -math.pi / 3].min())
    # The nearest thing beside the way ahead: turn such that it is passed at the wanted distance.
    beside = (angles < -0.15) & (ahead < LOOK_AHEAD)
    gap = float(right[beside].min()) if beside.any() else 2.0 * DISTANCE
    turning = 2.0 * (DISTANCE - gap) * SPEED / LOOK_AHEAD**2
    if free < LOOK_AHEAD:  # something in the way: turn left, as much as is needed
        turning = max(turning, SHARPEST * (1.2 - free / LOOK_AHEAD))
    speed = SPEED * min(1.0, max(0.1, free - 0.25))
    return speed, max(-0.6, min(SHARPEST, turning)), wall


def follow(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Answers every scan with a speed for each wheel."""
    walls: list[float] = []
    for frame in frames:
        if "Laser" not in frame:
            continue
        speed, turning, wall = course(np.asarray(frame["Laser"]))
        walls.append(wall)
        for motor, side in (("LMotor", -1), ("RMotor", 1)):
            robot.set(motor, "Speed", (speed + side * turning * TRACK / 2) / WHEEL_RADIUS)
    middle = float(np.median(walls)) if walls else math.nan
    return f"{len(walls)} scans; the wall on the right was {middle:.2f} m away in the median, {DISTANCE} m was wanted"


if __name__ == "__main__":
    run("Lets the Pioneer follow a wall.", "pioneer", follow)
