#!/usr/bin/env python3
"""A middle size robot that runs after the ball while it is in play, and kicks it: one of two programs of a team.

python chase.py robot.xml 127.0.0.1 9040
"""

from __future__ import annotations

import json
import math
import sys

import numpy as np

import ubersim

AZIMUTHS = {"Right": 30.0, "Left": 150.0, "Rear": 270.0}
PLAY, REACH, SPEED = 3, 0.40, 1.2


def drive(robot: ubersim.RemoteRobot, right: float, forward: float, turning: float) -> None:
    """Velocity to the right and forward [m/s], and turning to the left [rad/s]."""
    for name, degrees in AZIMUTHS.items():
        azimuth = math.radians(degrees)
        along = forward * math.cos(azimuth) - right * math.sin(azimuth)
        robot.set(name, "Vel", (along + 0.17 * turning) / 0.05)


def chase(robot: ubersim.RemoteRobot) -> None:
    """Until the match is over."""
    ball, playing = -1, False
    for frame in robot:
        if "Legend" in frame:
            names = json.loads(bytes(np.asarray(frame["Legend"])))
            ball = next(int(number) for number, name in names.items() if name == "Ball")
        if "Referee" in frame:
            playing = np.asarray(frame["Referee"])[0] == PLAY
            if not playing:
                drive(robot, 0.0, 0.0, 0.0)
        for row in np.asarray(frame["OmniCam"]) if playing and "OmniCam" in frame else ():
            number, bearing, elevation, distance, _ = map(float, row)
            if number == ball:
                # The camera looks up: its forward is the robot's up, and its up the robot's back.
                right, forward = -distance * math.cos(elevation) * math.sin(bearing), -distance * math.sin(elevation)
                away = math.hypot(right, forward)
                speed = min(SPEED, 2 * away) / away
                drive(robot, speed * right, speed * forward, 3 * math.atan2(-right, forward))
                if away < REACH and abs(right) < 0.08:
                    robot.set("Kicker", "Kick", 1.0)


if __name__ == "__main__":
    with ubersim.connect(sys.argv[1], sys.argv[2], int(sys.argv[3])) as alive:
        chase(alive)
