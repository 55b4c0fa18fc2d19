#!/usr/bin/env python3
"""Lets the humanoid greet: it bows, hands to its thighs, comes up again and waves; all on its own two feet.

    ubersim serve                                 # in one terminal
    python clients/humanoid_bow.py                # in another

While the waist bends forward, the ankles lean the legs back, so that the centre of mass stays above the feet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from program import run  # beside this file

import ubersim

DEPTH = math.radians(50.0)
"""Of the bow [rad]."""
LEAN = 0.16
"""Of the ankles, back, per bow; found by experiment: the centre of mass moves by 12 mm instead of 46."""
TICK = 0.01
"""Between two commands [s]."""


def eased(time: float, start: float, end: float) -> float:
    """From 0 at `start` to 1 at `end`, without a jerk."""
    way = min(1.0, max(0.0, (time - start) / (end - start)))
    return (1 - math.cos(math.pi * way)) / 2


def greeting(time: float) -> dict[str, float]:
    """Targets of the servos at a time since the start [rad]."""
    bow = DEPTH * (eased(time, 0.5, 2.0) - eased(time, 3.0, 4.5))
    raised = eased(time, 5.0, 6.0) - eased(time, 8.0, 9.0)
    wave = 0.4 * raised * math.sin(math.tau * 1.25 * (time - 6.0)) if 6.0 < time < 8.0 else 0.0
    targets = {"WaistPitch": bow, "HeadTilt": 0.3 * bow, "HeadPan": -0.3 * raised}
    for side in "LR":
        targets |= {f"{side}AnklePitch": -LEAN * bow, f"{side}ShoulderPitch": 0.5 * bow, f"{side}Elbow": 0.2 * bow}
    targets["RShoulderPitch"] += 0.3 * raised
    targets["RShoulderRoll"] = 1.9 * raised
    targets["RElbow"] += raised * 0.6 + wave
    return targets


def greet(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Sends the targets of the moment every 10 ms, and watches the tilt of the pelvis."""
    start, sent, worst = None, -1, 0.0
    for frame in frames:
        start = frame.time if start is None else start
        if "Imu" in frame:
            _, x, y, _ = map(float, np.asarray(frame["Imu"])[:4])
            worst = max(worst, math.acos(max(-1.0, 1 - 2 * (x * x + y * y))))
        tick = int((frame.time - start) / TICK + 1e-6)
        if tick > sent:
            sent = tick
            for servo, target in greeting(tick * TICK).items():
                robot.set(servo, "Target", target)
    stood = "and stood all the time" if worst < math.radians(30.0) else "and fell"
    return f"bowed by {math.degrees(DEPTH):.0f} degrees {stood}; its pelvis tilted by {math.degrees(worst):.1f} at most"


if __name__ == "__main__":
    run("Lets the humanoid bow and wave.", "humanoid", greet)
