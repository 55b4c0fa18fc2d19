#!/usr/bin/env python3
"""Drives the middle size robot along a square while it turns once around, then lets it shoot the ball at the far goal.

    ubersim serve --world worlds/msl_12x8.xml     # in one terminal
    python clients/msl_square.py                  # in another

It finds its way by `Place`. For the ball it switches its camera from pictures to lists of what is in sight, as a vision
system would make them, and asks the legend which number is the ball's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from omni import Platform, limited, seen_from  # beside this file
from program import heading_of, run

import ubersim

PLATFORM = Platform({"Right": 30.0, "Left": 150.0, "Rear": 270.0}, distance=0.17, radius=0.05)
SIDE = 1.5
"""Of the square [m]."""
CORNERS = [(SIDE, 0.0), (SIDE, -SIDE), (0.0, -SIDE), (0.0, 0.0)]
"""From where it starts [m]."""
SPEED = 0.9
"""[m/s]"""
OBJECTS = 1
"""The camera's level on which it lists what is in sight."""


def in_view(seen: NDArray[np.floating], number: int) -> tuple[float, float] | None:
    """Where a thing is, to the right and forward of the robot [m]; None if it is not in sight.

    The camera looks up, so that its forward is the robot's up, and its up the robot's back.
    """
    for row in seen[seen[:, 0] == number]:
        _, bearing, elevation, distance, _ = map(float, row)
        return -distance * math.cos(elevation) * math.sin(bearing), -distance * math.sin(elevation)
    return None


def square(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Corner after corner; then to the ball, and shoot."""
    robot.set("OmniCam", "Level", OBJECTS)
    corners, start, number = list(CORNERS), None, 0
    ball: tuple[float, float] | None = None
    worst, kicked = 0.0, False
    for frame in frames:
        if "Legend" in frame:
            names = json.loads(bytes(np.asarray(frame["Legend"])))
            number = next((int(key) for key, name in names.items() if name == "Ball"), 0)
            if not number:
                raise ubersim.UberSimError("there is no Ball in this world; `ubersim serve --world msl_12x8` has one")
        if "OmniCam" in frame and np.asarray(frame["OmniCam"]).ndim == 2:
            ball = in_view(np.asarray(frame["OmniCam"]), number)
        if "Place" not in frame or kicked:
            continue
        (me,) = np.asarray(frame["Place"])
        heading = heading_of(me[3:7])
        start = me[:2].copy() if start is None else start
        if corners:
            way = start + corners[0] - me[:2]
            if np.hypot(*way) < 0.05:
                corners.pop(0)
            else:
                worst = max(worst, _aside(me[:2] - start))
            turn = math.remainder(math.tau * (4 - len(corners)) / 4 - heading, math.tau)
            velocity = limited(3.0 * way[0], 3.0 * way[1], SPEED)
            PLATFORM.drive(robot, *seen_from(heading, *velocity), min(1.5, 2.0 * turn))
        elif ball is not None:
            right, forward = ball
            near = forward < 0.36 and abs(right) < 0.03
            turn = math.remainder(-heading, math.tau)
            creep = 0.0 if abs(right) > 0.05 and forward < 0.6 else 2.0 * (forward - 0.30)
            PLATFORM.drive(robot, *limited(3.0 * right, creep, 0.6), 3.0 * turn)
            if near:
                robot.set("Kicker", "Kick", 1.0)
                PLATFORM.drive(robot, 0.0, 0.0, 0.0)
                kicked = True
    how = "kicked the ball" if kicked else "did not reach the ball"
    return f"a square of {SIDE} m, at most {worst:.2f} m beside its sides, with a full turn; then it {how}"


def _aside(place: NDArray[np.floating]) -> float:
    """Distance of a place from the square's nearest side [m]."""
    x, y = float(place[0]), float(place[1])
    across, along = abs(x - SIDE / 2), abs(y + SIDE / 2)
    return abs(SIDE / 2 - max(across, along))


if __name__ == "__main__":
    run("Drives a square while turning, then shoots the ball.", "msl_omni", square)
