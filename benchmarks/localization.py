#!/usr/bin/env python3
"""How soon and how well a robot knows where it is on the middle size field, and what that costs.

    python -m benchmarks.localization map.npz        # of: ubersim learn-map examples/localizer.xml --world msl_12x8

Global localization: it starts anywhere and knows nothing. Kidnapped: half way through, it is put elsewhere and is not
told. The robot drives about at random among the field's lines; odometry and sensors err as its document says. Each
row of the table is a time after that, with the median and the ninth decile of the error over all runs.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ubersim.description import load_world
from ubersim.geometry import quaternion_from_matrix, rotation_about
from ubersim.league.localization import Localizer, SensorMap
from ubersim.simulation import Simulation

STEP, PERIOD = 1 / 300, 1 / 30
SECONDS = 10.0
"""From the start to the kidnapping, and from there to the end."""
TIMES = 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 9.9
ALL = ("Laser", "OmniCam", "Lines")


@dataclass(frozen=True)
class Course:
    """The errors of one run, a row per reading: time [s], place [m], heading [rad]; and what an update took [s]."""

    errors: np.ndarray
    costs: np.ndarray


def drive(field: SensorMap, seed: int, sensors: Sequence[str] = ALL, particles: int = 1000) -> Course:
    """Twenty seconds: lost, and half way through kidnapped."""
    rng = np.random.default_rng(seed)
    errors, costs = [], []
    with Simulation(load_world("msl_12x8"), step=STEP, seed=seed) as simulation:
        x, y = rng.uniform((-3, -5), (3, 5))
        robot = simulation.spawn(field.robot, position=(x, y, 0.0), heading=rng.uniform(0, math.tau))
        body, localizer = robot.bodies["Base"], Localizer(field, particles=particles, seed=seed)
        for count in range(round(2 * SECONDS / PERIOD)):
            if count == round(SECONDS / PERIOD):
                x, y = rng.uniform((-3, -5), (3, 5))
                turned = quaternion_from_matrix(rotation_about(2, rng.uniform(0, math.tau)))
                body.set_state((x, y, body.position[2]), turned)
            if count % 30 == 0:
                goal = rng.uniform((-3, -5), (3, 5))
            way, heading = goal - body.position[:2], math.atan2(-body.rotation[0, 1], body.rotation[1, 1])
            speed = min(1.5, float(np.hypot(*way))) / max(1e-9, float(np.hypot(*way)))
            ahead = speed * (-way[0] * math.sin(heading) + way[1] * math.cos(heading))
            aside = speed * (way[0] * math.cos(heading) + way[1] * math.sin(heading))
            for name, value in (("SpeedX", aside), ("SpeedY", ahead), ("TurnRate", math.sin(count / 40))):
                robot.command("Drive", name, value)
            simulation.step(round(PERIOD / STEP))
            begin = time.process_time()
            moved = np.asarray(robot.read("Odometry"))[[1, 2, 6]] * PERIOD
            localizer.move(*moved.tolist())
            localizer.sense({name: robot.read(name) for name in sensors})
            found = localizer.estimate()
            costs.append(time.process_time() - begin)
            heading = math.atan2(-body.rotation[0, 1], body.rotation[1, 1])
            off = (found.heading - heading + math.pi) % math.tau - math.pi
            away = math.hypot(found.x - body.position[0], found.y - body.position[1])
            errors.append((simulation.time, away, abs(off)))
    return Course(np.array(errors), np.array(costs))


def rows(courses: Sequence[Course], after: float) -> list[list[float]]:
    """Time after the start or the kidnapping [s], then median and ninth decile of place [cm] and heading [degrees]."""
    found = []
    for seconds in TIMES:
        at = round((after + seconds) / PERIOD) - 1
        place, heading = np.array([course.errors[at, 1:] for course in courses]).T
        tenths = [*np.quantile(100 * place, (0.5, 0.9)), *np.quantile(np.degrees(heading), (0.5, 0.9))]
        found.append([seconds, *map(float, tenths)])
    return found


def main() -> None:
    """Prints the table for docs/localization.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--sensors", default=",".join(ALL))
    asked = parser.parse_args()
    field = SensorMap.load(asked.map)
    courses = [drive(field, seed, asked.sensors.split(",")) for seed in range(asked.runs)]
    for title, after in (("lost", 0.0), ("kidnapped", SECONDS)):
        print(f"{title}: after [s], place [cm] median and 90 %, heading [degrees] median and 90 %")
        for row in rows(courses, after):
            print("  ".join(f"{value:7.1f}" for value in row))
    costs = np.concatenate([course.costs for course in courses])
    median, worst = 1e3 * np.median(costs), 1e3 * costs.max()
    print(f"an update of 1000 particles takes {median:.1f} ms of processor time (median; {worst:.1f} at worst)")


if __name__ == "__main__":
    main()
