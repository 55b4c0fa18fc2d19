#!/usr/bin/env python3
"""Keeps the Tumbler up: the program that runs on the robot, and that the tests test.

ubersim serve
python balance.py --port 9040
"""

from __future__ import annotations

import argparse
from pathlib import Path

import ubersim

ROBOT = Path(__file__).parent / "tumbler.xml"
KP, KD = 400.0, 50.0
"""Wheel acceleration per tilt [1/s^2], and per rate of tilt [1/s]."""
PERIOD = 0.01
"""Of the tilt readings [s]."""
TOP_SPEED = 40.0
"""Of the wheels [rad/s]."""


def main() -> None:
    """Answers every tilt reading with a speed of the wheels."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9040)
    speed, last = 0.0, 0.0
    with ubersim.connect(ROBOT, port=parser.parse_args().port) as robot:
        print("balancing")
        for frame in robot:
            if "Tilt" in frame:
                tilt = float(frame["Tilt"])
                speed -= (KP * tilt + KD * (tilt - last) / PERIOD) * PERIOD
                speed = max(-TOP_SPEED, min(TOP_SPEED, speed))
                last = tilt
                robot.set("LMotor", "Vel", speed)
                robot.set("RMotor", "Vel", speed)


if __name__ == "__main__":
    main()
