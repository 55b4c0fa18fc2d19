#!/usr/bin/env python3
"""Learns how the Scout moves from a log of it, and lets a drive without wheels, motors and friction do the same.

    python examples/learn_motion.py [--seconds 60] [--out FOLDER]

First the Scout drives about for a minute and is recorded. `ubersim learn-motion scout.mcap -o drive.npz` is what the
next lines do in Python. Then both robots are told the same: the Scout with its motors, and a cylinder with a
`LearnedDrive`, which costs a fraction of it. The table tells how far they are apart after each second.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from pathlib import Path

import numpy as np

import ubersim
from ubersim.identification.motion import learn_motion
from ubersim.identification.motion.logs import record_of
from ubersim.recording import Recorder
from ubersim.simulation.robot import Robot

STEP = 0.005
STAND_IN = """
<Client> <CSettings> <Name>StandIn</Name> <Latency>20</Latency> </CSettings>
  <Entity>
    <RigidBodies> <Body name="Base"> <Cylinder name="Hull"> <Mass>20</Mass> <Radius>0.19</Radius> <Height>0.3</Height>
      <Position><x>0</x><y>0</y><z>0.17</z></Position> <Material>Plastic</Material> </Cylinder> </Body> </RigidBodies>
    <Motion> <LearnedDrive name="Drive"> <File>drive.npz</File> </LearnedDrive> </Motion>
  </Entity>
</Client>
"""


def tell(robot: Robot, forward: float, turn: float) -> None:
    """A velocity [m/s, rad/s]; every drive takes it."""
    robot.command("Drive", "Speed", forward)
    robot.command("Drive", "Turn", turn)


def velocities(count: int, seed: int) -> list[tuple[float, float]]:
    """Something to do: forward and turning."""
    rng = np.random.default_rng(seed)
    return [(rng.uniform(-1, 1), rng.uniform(-2.5, 2.5)) for _ in range(count)]


def record(path: Path, seconds: float) -> None:
    """About so long of the Scout."""
    with ubersim.Simulation(step=STEP, seed=1) as simulation:
        robot, rng = simulation.spawn("scout"), np.random.default_rng(1)
        recorder = Recorder(simulation, path)
        for forward, turn in velocities(round(seconds / 0.6), seed=3):
            tell(robot, forward, turn)
            simulation.step(int(rng.uniform(0.2, 1.0) / STEP))
        recorder.close()


def drive(document: str | Path) -> tuple[list[tuple[float, float, float]], float]:
    """Where a robot is after each of ten seconds, and the processor time that it took [s]."""
    begin, places = time.process_time(), []
    with ubersim.Simulation(step=STEP) as simulation:
        robot = simulation.spawn(document, position=(0.0, 0.0, 0.0))
        first = robot.description.bodies[0]
        body, center = robot.bodies[first.name], first.mass_properties().center
        for forward, turn in velocities(10, seed=7):
            tell(robot, forward, turn)
            simulation.step(round(1.0 / STEP))
            x, y, _ = body.position - body.rotation @ center
            places.append((float(x), float(y), math.atan2(-body.rotation[0, 1], body.rotation[1, 1])))
    return places, time.process_time() - begin


def main() -> None:
    """Records, learns, compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long it drives about")
    parser.add_argument("--out", type=Path, help="folder for the log, the drive and the robot")
    given = parser.parse_args()
    out = given.out or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    record(out / "scout.mcap", given.seconds)
    learned = learn_motion(record_of(out / "scout.mcap", "Scout", 0.01, {}))
    print(learned)
    learned.save(out / "drive.npz")
    (out / "stand_in.xml").write_text(STAND_IN)
    real, cost = drive("scout")
    imitated, cheaper = drive(out / "stand_in.xml")
    for second, (a, b) in enumerate(zip(real, imitated, strict=True), start=1):
        off = math.degrees((a[2] - b[2] + math.pi) % math.tau - math.pi)
        print(f"after {second:2d} s: {100 * math.hypot(a[0] - b[0], a[1] - b[1]):5.1f} cm and {abs(off):4.1f}° apart")
    print(f"Ten seconds took {cost:.2f} s of processor time with motors and wheels, {cheaper:.2f} s without.")


if __name__ == "__main__":
    main()
