#!/usr/bin/env python3
"""Balances the Segway: the client of the ÜberSim paper, a PD controller on the tilt reading.

    ubersim serve                                            # in one terminal
    python clients/segway_pd.py                              # in another; the arrow keys lean it, q quits
    python clients/segway_pd.py --script 5:2,7:-2,9:0        # or: from 5 s on lean 2 degrees back, from 7 s on forward

The law and its gains are in ubersim/control/balancer.py; examples/latency_study.py measures how much latency they bear.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import sys
from pathlib import Path
from typing import TextIO

import numpy as np
from program import arrive, parser_for  # beside this file

import ubersim
from ubersim.control.balancer import BALANCE, PERIOD, WHEEL_RADIUS, Balancer
from ubersim.driving.keys import Keys
from ubersim.png import from_bgra, save_png

Script = list[tuple[float, float]]
"""From when on [s] to lean how far [degrees]."""
CAMERA = "Cam"
NUDGE = math.radians(0.5)
"""What one press of an arrow key leans it by."""


def drive(
    robot: ubersim.RemoteRobot,
    balancer: Balancer,
    script: Script,
    keys: Keys,
    file: TextIO,
    pictures: Path | None = None,
) -> None:
    """The paper's loop: every tilt reading is answered with a speed for both wheels."""
    log = csv.writer(file)
    log.writerow(["time [s]", "tilt [rad]", "wanted tilt [rad]", "wheel speed [rad/s]"])
    for frame in robot:
        if pictures is not None and CAMERA in frame:
            keep(frame, pictures)
        if "Tilt" not in frame:
            continue
        tilt = float(frame["Tilt"])
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
        log.writerow([f"{number:.6f}" for number in (frame.time, tilt, BALANCE + balancer.lean, speed)])
        if sys.stdout.isatty() and round(frame.time / PERIOD) % 10 == 0:
            tilted, lean, metres = math.degrees(tilt), math.degrees(balancer.lean), speed * WHEEL_RADIUS
            print(f"\r{frame.time:7.2f} s  tilt {tilted:6.2f}°  lean {lean:5.1f}°  {metres:6.2f} m/s ", end="")


def keep(frame: ubersim.Frame, folder: Path) -> None:
    """Saves the first picture that comes in a second, named after that second."""
    file = folder / f"{math.floor(frame.time + 1e-9):04d}.png"
    if not file.exists():
        save_png(file, from_bgra(np.asarray(frame[CAMERA])))


def script_of(text: str) -> Script:
    """`5:2,7:-2` -> from 5 s on lean 2 degrees back, from 7 s on 2 degrees forward."""
    try:
        parts = [part.split(":") for part in text.split(",") if part]
        return [(float(time), float(degrees)) for time, degrees in parts]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form SECONDS:DEGREES,SECONDS:DEGREES,...") from None


def main() -> None:
    """Connects and balances until the server ends."""
    parser = parser_for("Balances the Segway.", "segway")
    parser.add_argument("--latency", type=float, help="actuation latency [ms]; default: as the robot file says")
    parser.add_argument("--script", type=script_of, default=[], help="leans: SECONDS:DEGREES,...; positive is back")
    parser.add_argument(
        "--log", type=Path, default=os.devnull, help="write time, tilt, wanted tilt and wheel speed to this CSV file"
    )
    parser.add_argument("--pictures", type=Path, help="empty folder, for one picture of its camera per second")
    options = parser.parse_args()
    try:
        with (
            options.log.open("w", newline="") as log,
            arrive(options, options.latency) as robot,
            Keys() as keys,
        ):
            drive(robot, Balancer(), options.script, keys, log, options.pictures)
    except (ubersim.UberSimError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        pass
    if sys.stdout.isatty():
        print()


if __name__ == "__main__":
    main()
