#!/usr/bin/env python3
"""A robot on the middle size field finds out where it is, is carried away, and finds out again.

    python examples/localize.py                      # learns a coarse map first, in some seconds
    ubersim learn-map examples/localizer.xml --world msl_12x8 -o map.npz
    python examples/localize.py --map map.npz        # or takes a finer one

The robot drives in circles. Thirty times per second the cloud of particles is moved by what odometry says, and weighed
by what the laser scanner, the camera and the line points say. After four seconds the robot is put elsewhere and turned
round, and nobody tells it.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

import ubersim
from ubersim.description import load_robot, load_world
from ubersim.geometry import quaternion_from_matrix, rotation_about
from ubersim.league.localization import Localizer, PoseGrid, SensorMap, learn_map

ROBOT = Path(__file__).parent / "localizer.xml"
FIELD = (-4.5, -6.4, 4.5, 6.4)
"""Left, near, right and far end of what is learned [m]."""
STEP, PERIOD = 1 / 300, 1 / 30
SECONDS, CARRIED = 8.0, 4.0


def main() -> None:
    """Learns, drives, and prints the error over time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--map", type=Path, help="made by `ubersim learn-map`")
    asked = parser.parse_args()
    world = load_world("msl_12x8")
    field = (
        SensorMap.load(asked.map) if asked.map else learn_map(load_robot(ROBOT), world, PoseGrid.over(FIELD, 0.8, 24))
    )
    print(f"A map of {len(field.grid)} poses; sensors: {', '.join(field.models)}.")
    with ubersim.Simulation(world, step=STEP, seed=1) as simulation:
        robot = simulation.spawn(field.robot, position=(-1.0, -2.0, 0.0), heading=1.0)
        body, localizer = robot.bodies["Base"], Localizer(field, particles=1000, seed=1)
        robot.command("Drive", "SpeedY", 1.0)
        robot.command("Drive", "TurnRate", 0.8)
        for count in range(round(SECONDS / PERIOD)):
            if count == round(CARRIED / PERIOD):
                body.set_state((2.0, 3.0, body.position[2]), quaternion_from_matrix(rotation_about(2, -2.0)))
                print("It is carried away.")
            simulation.step(round(PERIOD / STEP))
            right, forward, turn = (PERIOD * np.asarray(robot.read("Odometry"))[[1, 2, 6]]).tolist()
            localizer.move(right, forward, turn)
            localizer.sense({name: robot.read(name) for name in field.models})
            if count % 15 in (0, 5) or count == round(SECONDS / PERIOD) - 1:
                found, x, y = localizer.estimate(), *body.position[:2]
                heading = math.atan2(-body.rotation[0, 1], body.rotation[1, 1])
                off = math.degrees((found.heading - heading + math.pi) % math.tau - math.pi)
                away = math.hypot(found.x - x, found.y - y)
                print(
                    f"{simulation.time:5.2f} s  {away:5.2f} m and {abs(off):5.1f}° off,  {found.confidence:4.0%} sure"
                )


if __name__ == "__main__":
    main()
