#!/usr/bin/env python3
"""Two Segways in one world, one with five times the latency of the other, over TCP; twice, and to the same bits.

    python examples/two_robots.py

A server and two clients, each with a robot of its own. In the first run both answer as fast as they can. In the
second they come in the other order, and one dawdles. Time in the world waits for the slower one, so that the world
does not show which run it was: `ubersim serve --digest` writes a hash of all bodies in every frame, and the
files are equal.
"""

from __future__ import annotations

import math
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from serving import serving  # beside this file

import ubersim
from ubersim.control.balancer import BALANCE, Balancer

SEGWAY = ubersim.shipped("robots/segway.xml")
SECONDS = 6.0
SETTLED = 3.0
"""Time that a robot gets to calm down [s]."""
FALLEN = math.radians(45.0)


@dataclass(frozen=True)
class Program:
    """What one of the clients does."""

    name: str
    """Of its robot."""
    latency: float
    """From a command to the motors, in the world's time [ms]."""
    delay: float = 0.0
    """How long it takes to connect, in our time [s]."""
    dawdles: float = 0.0
    """How long it thinks at most about one answer in ten, in our time [s]."""

    def run(self, port: int) -> list[float]:
        """Balances until the server ends; the tilts from the balance that it read [rad]."""
        errors, balancer, dice = [], Balancer(), random.Random()
        time.sleep(self.delay)
        with ubersim.connect(SEGWAY, port=port, name=self.name, latency=self.latency) as robot:
            for frame in robot:
                if "Tilt" not in frame:
                    continue
                tilt = float(frame["Tilt"])
                errors.append(tilt - BALANCE)
                if self.dawdles and dice.random() < 0.1:
                    time.sleep(dice.uniform(0.0, self.dawdles))
                speed = balancer.update(tilt)
                robot.set("LMotor", "Vel", speed)
                robot.set("RMotor", "Vel", speed)
        return errors


def play(programs: list[Program], digest: Path) -> None:
    """One run: a server and the programs, each in a thread; prints how it went."""
    frames = round(SECONDS * 1000)
    begun = time.perf_counter()
    with (
        serving("--clients", str(len(programs)), "--frames", str(frames), "--digest", str(digest)) as port,
        ThreadPoolExecutor() as threads,
    ):
        results = list(threads.map(lambda program: program.run(port), programs))
    print(f"{SECONDS:g} s of simulation took {time.perf_counter() - begun:.1f} s")
    for program, errors in zip(programs, results, strict=True):
        calm = errors[round(len(errors) * SETTLED / SECONDS) :]
        largest, later = (math.degrees(max(map(abs, part))) for part in (errors, calm))
        if math.radians(largest) > FALLEN:
            raise SystemExit(f"{program.name} fell")
        print(
            f"  {program.name:6} {program.latency:3g} ms  stands; at first {largest:.1f}° from its balance,"
            f" after {SETTLED:g} s never more than {later:.2f}°"
        )


def main() -> None:
    """Plays it twice, and compares."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second")
        print("Both as fast as they can:", end=" ", flush=True)
        play([Program("Quick", 10), Program("Slow", 50, delay=0.2)], first)
        print("In the other order, and Quick dawdles:", end=" ", flush=True)
        play([Program("Quick", 10, delay=0.2, dawdles=0.01), Program("Slow", 50)], second)
        digests = first.read_text().splitlines()
        if digests != second.read_text().splitlines():
            raise SystemExit("The digests differ.")
        print(f"The digests of all {len(digests)} frames are the same; the last is {digests[-1].split()[1]}.")


if __name__ == "__main__":
    main()
