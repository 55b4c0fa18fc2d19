#!/usr/bin/env python3
"""Drive the Segway from the live page: arrow up and down lean it, or the left stick of a gamepad.

    ubersim serve --clients 1 --rate 1 --view      # in one terminal; opens the page
    python examples/teleoperate.py                 # in another; then press keys in the browser

What the browser tells are parameters of the program: they count from exact frames on, are in the log, and are replayed.
"""

from __future__ import annotations

import argparse
import math

import ubersim
from ubersim.control.balancer import Balancer
from ubersim.protocol.inputs import PageGamepad, PageKeyboard

LEAN = math.radians(2.0)
"""What a key that is held, or a stick all the way, leans it by."""


def wanted_lean(keyboard: PageKeyboard, gamepad: PageGamepad) -> float:
    """Beyond the balance angle [rad]; negative is forward."""
    if len(gamepad.axes) > 1 and abs(gamepad.axes[1]) > 0.1:
        return LEAN * gamepad.axes[1]
    return LEAN * (("ArrowDown" in keyboard) - ("ArrowUp" in keyboard))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9040)
    options = parser.parse_args()
    with ubersim.connect("segway", options.host, options.port, protocol=2) as robot:
        keyboard, gamepad, balancer = PageKeyboard(robot), PageGamepad(robot), Balancer()
        for frame in robot:
            if "Tilt" in frame:
                balancer.lean = wanted_lean(keyboard, gamepad)
                speed = balancer.update(float(frame["Tilt"]))
                robot.set("LMotor", "Vel", speed)
                robot.set("RMotor", "Vel", speed)
                robot.log("lean", balancer.lean)


if __name__ == "__main__":
    main()
