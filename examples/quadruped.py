#!/usr/bin/env python3
"""A quadruped from a URDF file stands up on position servos, over TCP, 10 ms late, and takes a push.

    python examples/quadruped.py [FILE.urdf]

Without a file it is the one beside this program; any quadruped will do whose joints are called hip, thigh and calf, as
in a1.urdf of the PyPI package example-robot-data. It begins as its file has it, its legs nearly straight; the program
brings its joints to a stance, within a second. Then a supervisor pushes it from the side, and looks how it stands.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from serving import serving  # beside this file

import ubersim
from ubersim.components.motors.servo import PositionServo
from ubersim.importers import ImportOptions

STANCE = {"hip": 0.0, "thigh": 0.8, "calf": -1.6}
"""Where joints go, by what their names contain [rad]."""
LATENCY = 10.0
"""From a command to the servos [ms]."""
RISING, SECONDS = 1.0, 4.0
"""When it stands, and when the run ends [s]."""
PUSH = (60.0, 0.0, 0.0)
"""From its left, for a tenth of a second [N]."""


def stance(joint: str) -> float | None:
    """Where a joint goes, if it is one of the legs'."""
    return next((angle for word, angle in STANCE.items() if word in joint.lower()), None)


def main(file: Path) -> None:
    """Imports, stands up, is pushed, and tells how it went."""
    imported = ubersim.import_robot(file, ImportOptions(motors="position"))
    print(imported.report.summary())
    motors = imported.description().motors
    first = {motor.name: motor.target for motor in motors if isinstance(motor, PositionServo)}
    goals = {name: goal for name in first if (goal := stance(name)) is not None}
    tilts, height = [], 0.0
    with (
        serving("--frames", str(round((SECONDS + 0.1) * 1000))) as port,  # it runs ahead by the latency
        ubersim.connect(imported.text, port=port, latency=LATENCY) as robot,
        ubersim.supervise(port=port) as world,
    ):
        world.push(robot.name, PUSH, 0.1, frame=round(2 * RISING * 1000))
        for number, frame in enumerate(robot):
            if frame.time > SECONDS:
                continue
            if frame.time <= RISING and number % 10 == 0:
                share = frame.time / RISING
                for name, goal in goals.items():
                    begun = math.radians(first[name])
                    robot.set(name, "Target", begun + share * (goal - begun))
            if frame.time > RISING and number % 20 == 0:
                trunk = world.truth()[robot.name]
                _, x, y, _ = trunk.quaternion
                tilts.append(math.degrees(math.acos(max(-1.0, 1 - 2 * float(x * x + y * y)))))
                height = float(trunk.position[2])
    tilt = max(tilts)
    if tilt > 30:
        raise SystemExit(f"it fell: {tilt:.0f}°")
    print(f"It stood, {height:.2f} m high, {LATENCY:g} ms late; the push tilted it by {tilt:.1f}° at most.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A quadruped from a URDF file stands up, over TCP, and takes a push.")
    own = Path(__file__).with_suffix(".urdf")
    parser.add_argument("file", nargs="?", type=Path, default=own, help="default: the one beside this program")
    main(parser.parse_args().file)
