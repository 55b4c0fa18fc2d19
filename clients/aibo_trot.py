#!/usr/bin/env python3
"""Lets the AIBO trot: it stands up from straight legs, and then walks with diagonal legs together.

    ubersim serve --world worlds/legged_4x3.xml   # in one terminal
    python clients/aibo_trot.py                   # in another

Every paw goes through the air in a soft arc, and straight back on the ground; two angles of its leg follow from where
it is. Nothing is fed back: this trot keeps its balance by itself, within 5 degrees, and makes 10 cm per second once it
has begun.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from program import run  # beside this file

import ubersim

THIGH, SHANK = 0.064, 0.066
"""From shoulder to knee, and on to the paw's middle [m]."""
LEGS = {"LF": (1, 0.0), "RH": (-1, 0.0), "RF": (1, 0.5), "LH": (-1, 0.5)}
"""Of each leg: where its knee points (1: back, front legs; -1: forward, hind legs), and its phase in the cycle."""
PERIOD = 0.6
"""Of a cycle [s]."""
DUTY = 0.6
"""Part of the cycle for which a paw is on the ground; above a half, all four are between the steps."""
STRIDE, LIFT = 0.045, 0.010
"""Of a step on the ground, and of the paw in the air [m]."""
HEIGHT = 0.108
"""From the paws' middle to the shoulders [m]."""
AHEAD = 0.012
"""How far before the shoulders the paws are in the middle of a step: below the centre of mass [m]."""
SPREAD = math.radians(8.0)
"""Of all legs to their sides [rad]."""
STAND_UP = 0.6
"""Time to bend the knees before the first step [s]."""
CYCLES_TO_BEGIN = 4
"""In which the steps grow to their length."""
TICK = 0.008
"""Between two commands, as on the robot [s]."""


def leg(forward: float, down: float, bend: int) -> tuple[float, float]:
    """Angles of joints 1 and 3 [rad] that put the paw there, seen from the shoulder [m]."""
    reach = min(math.hypot(forward, down), 0.999 * (THIGH + SHANK))
    knee = math.acos((reach**2 - THIGH**2 - SHANK**2) / (2 * THIGH * SHANK))
    swing = math.atan2(forward, down) - bend * math.atan2(SHANK * math.sin(knee), THIGH + SHANK * math.cos(knee))
    return swing, knee


def paw(phase: float, stride: float) -> tuple[float, float]:
    """Where a paw is in its cycle, forward and up [m]: first in the air, then on the ground, where it goes evenly."""
    air = 1.0 - DUTY
    if phase < air:
        way = phase / air
        return -stride / 2 * math.cos(math.pi * way), LIFT * (1 - math.cos(math.tau * way)) / 2
    return stride * (0.5 - (phase - air) / DUTY), 0.0


def trot(time: float) -> dict[str, float]:
    """Targets of the servos at a time since the start [rad]."""
    targets = {"HeadTiltServo": -0.3, "TailTiltServo": 0.3}
    bent = min(1.0, time / STAND_UP)
    cycle = max(0.0, time - STAND_UP) / PERIOD
    begun = min(1.0, cycle / CYCLES_TO_BEGIN)
    for name, (bend, phase) in LEGS.items():
        forward, up = paw((cycle + phase) % 1.0, begun * STRIDE)
        height = (1 - bent) * 0.999 * (THIGH + SHANK) + bent * HEIGHT
        swing, knee = leg(bent * AHEAD + forward, height - min(1.0, 2 * begun) * up, bend)
        targets |= {f"{name}1Servo": swing, f"{name}2Servo": bent * SPREAD, f"{name}3Servo": knee}
    return targets


def walk(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Sends the targets of the moment every 8 ms."""
    start, sent, steps, down = None, -1, 0, True
    for frame in frames:
        start = frame.time if start is None else start
        if "LFFoot" in frame:
            touches = bool(np.asarray(frame["LFFoot"])[0] > 0)
            steps, down = steps + (touches and not down), touches
        tick = int((frame.time - start) / TICK + 1e-6)
        if tick > sent:
            sent = tick
            for servo, target in trot(tick * TICK).items():
                robot.set(servo, "Target", target)
    return f"trotted for {sent * TICK:.1f} s; its left front paw came down {steps} times"


if __name__ == "__main__":
    run("Lets the AIBO trot.", "aibo", walk)
