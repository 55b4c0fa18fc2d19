#!/usr/bin/env python3
"""How a robot follows a velocity ramp, with several sets of PID gains: the Middle-size paper's figure 3.

    python examples/velocity_ramp.py --out out

The Pioneer gets DC motors in place of its ideal ones, and a PID controller per wheel that turns the error of speed into
volts, a hundred times a second. The wanted speed grows by 0.5 m/s every second, for two seconds, then it stays.

What follows from the gains, before anything is simulated: on a ramp of acceleration a, the voltage has to grow at a
constant rate, a / K, if the robot's speed settles at K m/s per volt. With an integral part the robot therefore lags
behind by a / (K * KI) metres per second, whatever the other gains; without one it falls back ever more. The table
compares this with what is measured.
"""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ubersim

WHEEL_RADIUS = 0.0825
"""[m]"""
PERIOD = 0.01
"""Of the controllers [s]."""
RAMP, TOP, LENGTH = 0.5, 1.0, 3.0
"""Acceleration [m/s^2], last wanted speed [m/s], and length of a run [s]."""
MOTOR = """<DCMotor name="{side}Motor"> <Joint>{side}WheelHinge</Joint> <NominalVoltage>12</NominalVoltage>
  <Resistance>1</Resistance> <TorqueConstant>0.023</TorqueConstant> <Gear>19.7</Gear> </DCMotor>"""
"""Guessed, but for the gear: no-load speed 2.2 m/s, 5.4 N m at the wheel when it stalls."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gains:
    """Of a PID controller from speed [m/s] to voltage [V]."""

    kp: float
    """[V s/m]"""
    ki: float
    """[V/m]"""
    kd: float = 0.0
    """[V s^2/m]"""

    def __str__(self) -> str:
        return f"P {self.kp:g}, I {self.ki:g}, D {self.kd:g}"


SETS = [Gains(10, 0), Gains(10, 20), Gains(10, 60), Gains(3, 150), Gains(20, 60, 0.4)]


class Pid:
    """One wheel's controller."""

    def __init__(self, gains: Gains) -> None:
        self._gains = gains
        self._integral = 0.0
        self._last: float | None = None

    def voltage(self, wanted: float, speed: float) -> float:
        """The answer to an error; the derivative is that of the speed alone, so that steps of the wish do no harm."""
        error = wanted - speed
        self._integral += error * PERIOD
        rate = 0.0 if self._last is None else (speed - self._last) / PERIOD
        self._last = speed
        volts = self._gains.kp * error + self._gains.ki * self._integral - self._gains.kd * rate
        return max(-12.0, min(12.0, volts))


def pioneer() -> str:
    """The robot with DC motors."""
    text = ubersim.shipped("robots/pioneer.xml").read_text(encoding="utf-8")
    for side in "LR":
        text = re.sub(rf'<VelocityMotor name="{side}Motor">.*?</VelocityMotor>', MOTOR.format(side=side), text)
    return text


def wish(time: float) -> float:
    """The wanted speed [m/s]."""
    return min(TOP, RAMP * time)


def follow(gains: Gains) -> Array:
    """A run: rows of time [s], wanted and true speed [m/s]."""
    simulation = ubersim.Simulation()
    robot = simulation.spawn(pioneer())
    controllers = {side: Pid(gains) for side in "LR"}
    base, every, rows = robot.bodies["Base"], round(PERIOD / simulation.step_size), []
    for tick in range(round(LENGTH / PERIOD)):
        wanted = wish(tick * PERIOD)
        for side, controller in controllers.items():
            speed = robot.joints[f"{side}WheelHinge"].rate() * WHEEL_RADIUS
            robot.command(f"{side}Motor", "Voltage", controller.voltage(wanted, speed))
        rows.append((simulation.time, wanted, float(base.linear_velocity @ base.rotation[:, 1])))
        simulation.step(every)
    return np.array(rows)


def speed_per_volt() -> float:
    """K: how much faster the robot goes with one volt more, once it has settled [m/(V s)]."""
    settled = []
    for volts in (3.0, 5.0):
        simulation = ubersim.Simulation()
        robot = simulation.spawn(pioneer())
        for side in "LR":
            robot.command(f"{side}Motor", "Voltage", volts)
        simulation.step(4000)
        settled.append(float(robot.bodies["Base"].linear_velocity[1]))
    return (settled[1] - settled[0]) / 2.0


def plot(runs: dict[Gains, Array], picture: Path) -> None:
    """All runs over the wish."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for gains, run in runs.items():
        axes.plot(run[:, 0], run[:, 2], label=str(gains), linewidth=1.2)
    time, wanted = next(iter(runs.values()))[:, :2].T
    axes.plot(time, wanted, color="black", linestyle="--", label="wanted")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("speed [m/s]")
    axes.set_title("A Pioneer follows a velocity ramp")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(picture, dpi=110)


def main() -> None:
    """Runs all sets, prints the table and draws the plot."""
    parser = argparse.ArgumentParser(description="Velocity ramps with several sets of PID gains.")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the plot")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    gain = speed_per_volt()
    print(f"one volt more makes {gain:.4f} m/s")
    print(f"{'gains':22} {'lag on the ramp':>16} {'by theory':>10} {'overshoot':>10}")
    runs = {gains: follow(gains) for gains in SETS}
    for gains, run in runs.items():
        late = run[(run[:, 0] > 1.5) & (run[:, 0] < 2.0)]
        lag = float((late[:, 1] - late[:, 2]).mean())
        theory = RAMP / (gain * gains.ki) if gains.ki else math.inf
        print(f"{gains!s:22} {lag:12.4f} m/s {theory:10.4f} {run[:, 2].max() - TOP:+9.3f}")
    plot(runs, folder / "velocity_ramp.png")
    print(f"plot: {folder / 'velocity_ramp.png'}")


if __name__ == "__main__":
    main()
