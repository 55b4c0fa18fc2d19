#!/usr/bin/env python3
"""Keeps the Segway upright for 20 s in this very process, no server, and pushes it twice.

    python examples/balance_in_process.py

The loop is all there is to it: read the tilt, tell the motors a speed, step. The robot's latency and the sensor's
frequency and resolution are as real here as over TCP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import ubersim
from ubersim.control.balancer import BALANCE, PERIOD, Balancer

SECONDS = 20.0
FALLEN = math.radians(45.0)


@dataclass(frozen=True)
class Push:
    """A force on the robot's body, at its centre of mass."""

    start: float
    """[s]"""
    duration: float
    """[s]"""
    force: float
    """Forward [N]."""

    def at(self, time: float) -> float:
        """The force at a time [N]."""
        return self.force if self.start <= time < self.start + self.duration else 0.0


PUSHES = Push(5.0, 0.2, 200.0), Push(12.0, 0.5, -100.0)


def main() -> None:
    """Balances, pushes, and says what happened."""
    tilts: list[float] = []
    with ubersim.Simulation() as simulation:
        robot = simulation.spawn(ubersim.shipped("robots/segway.xml"))
        body, balancer = robot.bodies["MainBody"], Balancer()
        steps = round(PERIOD / simulation.step_size)
        while simulation.time < SECONDS:
            if simulation.frame % steps == 0:
                tilt = robot.read("Tilt")
                assert isinstance(tilt, float)
                tilts.append(tilt)
                speed = balancer.update(tilt)
                robot.set("LMotor", "Vel", speed)
                robot.set("RMotor", "Vel", speed)
            # A force lasts for one step; a longer push is given again in every step.
            if force := sum(push.at(simulation.time) for push in PUSHES):
                body.add_force((0.0, force, 0.0))
            simulation.step()
        account(tilts)
        print(f"It rolled {body.position[1]:+.2f} m, and rolls at {body.linear_velocity[1]:+.2f} m/s.")
        if max(map(abs, tilts)) > FALLEN:
            raise SystemExit("It fell.")
        print(f"It stood for {simulation.time:g} s.")


def account(tilts: list[float]) -> None:
    """Prints how far the robot was from its balance in each part of the story, and when it was calm again."""
    parts = [(0.0, "let go, standing straight"), *((push.start, describe(push)) for push in PUSHES)]
    ends = [start for start, _ in parts[1:]] + [SECONDS]
    print(f"It balances at a tilt of {math.degrees(BALANCE):.1f}°, nose up; from there:")
    for (start, what), end in zip(parts, ends, strict=True):
        errors = [math.degrees(tilt - BALANCE) for tilt in tilts[round(start / PERIOD) : round(end / PERIOD)]]
        restless = max(number for number, error in enumerate([1.0, *errors]) if abs(error) > 0.3)
        print(
            f"{start:5.1f} s  {what:42}  from {min(errors):+5.1f}° to {max(errors):+5.1f}°,"
            f"  within 0.3° after {restless * PERIOD:.2f} s"
        )


def describe(push: Push) -> str:
    """In words."""
    where = "from behind" if push.force > 0 else "from the front"
    return f"pushed {where}, {abs(push.force):g} N for {push.duration:g} s"


if __name__ == "__main__":
    main()
