#!/usr/bin/env python3
"""Balances the Segway: the client of the ÜberSim paper, a PD controller on the tilt reading.

    ubersim serve                                            # in one terminal
    python clients/segway_pd.py                              # in another; the arrow keys lean it, q quits
    python clients/segway_pd.py --script 5:2,7:-2,9:0        # or: from 5 s on lean 2 degrees back, from 7 s on forward

The motors take speeds, so the controller's output, an acceleration of the wheels, is summed up to a speed:

    acceleration = KP * (wanted tilt - tilt) - KD * rate of tilt

Tilt is positive nose up. When the robot leans forward, the wheels speed up until they are under its centre of mass again. The
gains were found by experiment, as in the paper. To win against gravity KP must be above g / radius = 41 / s^2; here it is five
times that. examples/latency_study.py measures how much latency the loop bears with these gains.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from pathlib import Path

from keys import Keys  # beside this file

from ubersim.client import Robot, connect
from ubersim.errors import UberSimError

ROBOT = Path(__file__).resolve().parent.parent / "robots" / "segway.xml"
KP = 200.0
"""Wheel acceleration per tilt [1/s^2]."""
KD = 40.0
"""Wheel acceleration per rate of tilt [1/s]."""
BALANCE = math.radians(4.0)
"""The tilt at which its centre of mass is above the axle; it is heavier in front, so it leans back."""
TOP_SPEED = 14.9
"""Of a wheel [rad/s]: 3.576 m/s."""
WHEEL_RADIUS = 0.24
"""[m]"""
PERIOD = 0.01
"""Between two tilt readings [s]."""
NUDGE = math.radians(0.5)
"""What one press of an arrow key leans it by."""


class Balancer:
    """The controller: a tilt reading in, the wheels' speed out."""

    def __init__(self, kp: float = KP, kd: float = KD) -> None:
        self.lean = 0.0
        """Wanted tilt beyond the balance angle [rad]; negative is forward."""
        self.speed = 0.0
        """Of the wheels [rad/s]; positive is forward."""
        self._kp, self._kd = kp, kd
        self._last: float | None = None

    def update(self, tilt: float) -> float:
        """The wheels' speed that answers a tilt reading."""
        rate = 0.0 if self._last is None else (tilt - self._last) / PERIOD
        self._last = tilt
        acceleration = self._kp * (BALANCE + self.lean - tilt) - self._kd * rate
        self.speed = min(TOP_SPEED, max(-TOP_SPEED, self.speed + acceleration * PERIOD))
        return self.speed


def drive(robot: Robot, balancer: Balancer, script: list[tuple[float, float]], keys: Keys, log: csv.Writer | None) -> None:
    """The paper's loop: every tilt reading is answered with a speed for both wheels."""
    for frame in robot:
        if "Tilt" not in frame:
            continue
        tilt = frame["Tilt"]
        while script and frame.time >= script[0][0]:
            balancer.lean = math.radians(script.pop(0)[1])
        match keys.pressed():
            case "up":
                balancer.lean -= NUDGE
            case "down":
                balancer.lean += NUDGE
            case "q":
                return
        speed = balancer.update(tilt)
        robot.set("LMotor", "Vel", speed)
        robot.set("RMotor", "Vel", speed)
        if log is not None:
            log.writerow([f"{frame.time:.6f}", f"{tilt:.6f}", f"{BALANCE + balancer.lean:.6f}", f"{speed:.6f}"])
        if sys.stdout.isatty() and round(frame.time / PERIOD) % 10 == 0:
            lean, metres = math.degrees(balancer.lean), speed * WHEEL_RADIUS
            print(f"\r{frame.time:7.2f} s  tilt {math.degrees(tilt):6.2f}°  lean {lean:5.1f}°  {metres:6.2f} m/s ", end="")


def script_of(text: str) -> list[tuple[float, float]]:
    """`5:2,7:-2` -> from 5 s on lean 2 degrees back, from 7 s on 2 degrees forward."""
    try:
        return [(float(time), float(degrees)) for time, degrees in (part.split(":") for part in text.split(",") if part)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form SECONDS:DEGREES,SECONDS:DEGREES,...") from None


def main() -> None:
    """Connects and balances until the server ends."""
    parser = argparse.ArgumentParser(description="Balances the Segway.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9040)
    parser.add_argument("--robot", type=Path, default=ROBOT, help="robot file")
    parser.add_argument("--name", help="the robot's name on the server")
    parser.add_argument("--latency", type=float, help="actuation latency [ms]; default: as the robot file says")
    parser.add_argument("--script", type=script_of, default=[], help="leans: SECONDS:DEGREES,...; positive is back")
    parser.add_argument("--log", type=Path, help="write time, tilt, wanted tilt and wheel speed to this CSV file")
    options = parser.parse_args()
    try:
        with connect(options.robot, options.host, options.port, name=options.name, latency=options.latency) as robot, Keys() as keys:
            if options.log is None:
                drive(robot, Balancer(), options.script, keys, None)
            else:
                with options.log.open("w", newline="") as file:
                    log = csv.writer(file)
                    log.writerow(["time [s]", "tilt [rad]", "wanted tilt [rad]", "wheel speed [rad/s]"])
                    drive(robot, Balancer(), options.script, keys, log)
    except (UberSimError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        pass
    if sys.stdout.isatty():
        print()


if __name__ == "__main__":
    main()
