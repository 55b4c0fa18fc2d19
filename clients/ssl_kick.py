#!/usr/bin/env python3
"""Lets the small size robot go around the ball, take it with the dribbler and shoot it at the far goal.

ubersim serve --world worlds/ssl_9x6.xml      # in one terminal
python clients/ssl_kick.py                    # in another
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from omni import Platform, limited, seen_from  # beside this file
from program import heading_of, run

import ubersim

PLATFORM = Platform({"FR": 33.0, "FL": 147.0, "RL": 225.0, "RR": 315.0}, distance=0.072, radius=0.027)
GOAL = (0.0, 4.5)
"""Where it shoots [m]."""
TOP_SPEED, CLOSE_SPEED = 1.2, 0.25
"""On the way, and the last bit to the ball [m/s]."""
BEHIND = 0.25
"""How far behind the ball it lines up [m]."""
DRIBBLE = 150.0
"""Speed of the dribbler [rad/s]."""


def kick(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Line up, approach, kick; then watch where the ball goes."""
    phase, ball, said = "line up", np.zeros(3), "never reached the ball"
    fastest, scored = 0.0, False
    for frame in frames:
        if phase == "approach" and "BallSensor" in frame and math.isfinite(float(frame["BallSensor"])):
            robot.set("Kicker", "Kick", 1.0)
            robot.set("Dribbler", "Vel", 0.0)
            PLATFORM.drive(robot, 0.0, 0.0, 0.0)
            phase, kicked_at = "kicked", ball.copy()
        if "Vision" not in frame:
            continue
        me, it = np.asarray(frame["Vision"])
        if not np.isfinite(it).all():
            raise ubersim.UberSimError("there is no Ball in this world; `ubersim serve --world ssl_9x6` has one")
        ball = it[:3].copy()
        if phase == "kicked":
            fastest = max(fastest, float(np.hypot(*it[7:9])))
            scored = scored or (ball[1] > GOAL[1] and abs(ball[0] - GOAL[0]) < 0.5)
            rolled = float(np.hypot(*(ball - kicked_at)[:2]))
            said = f"the ball left with {fastest:.1f} m/s and came {rolled:.2f} m far{'; goal' if scored else ''}"
            continue
        heading, aim = heading_of(me[3:7]), np.array(GOAL) - ball[:2]
        aim /= np.linalg.norm(aim)
        target = ball[:2] - BEHIND * aim
        turn = math.remainder(math.atan2(-aim[0], aim[1]) - heading, math.tau)
        way = target - me[:2]
        if phase == "line up" and np.hypot(*way) < 0.01 and abs(turn) < 0.02:
            phase = "approach"
            robot.set("Dribbler", "Vel", DRIBBLE)
        if phase == "approach":
            way = ball[:2] - me[:2]
        top = CLOSE_SPEED if phase == "approach" else TOP_SPEED
        velocity = limited(3.0 * way[0], 3.0 * way[1], top)
        PLATFORM.drive(robot, *seen_from(heading, *velocity), 4.0 * turn)
    return said


if __name__ == "__main__":
    run("Drives to the ball and shoots it at the goal.", "ssl", kick)
