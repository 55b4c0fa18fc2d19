#!/usr/bin/env python3
"""What is delayed where: one run in process, in which a program looks at 50 Hz and thinks for 35 ms, as a picture.

    python examples/think_timeline.py --out out

The picture of docs/think-time.md: each bar and each arrow is something that happened in this run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import ubersim
from ubersim.simulation.local_robot import LocalRobot
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Command, Robot

HZ = 50.0
THINK = 35.0
"""[ms]"""
MILLISECONDS = 170
ROBOT = ubersim.shipped("robots/segway.xml")
SENSOR_LATENCY = 12
"""Of the tilt readings, in this run [ms]; 10 ms of actuation latency are the robot's own."""


class Timeline(Observer):
    """What happens when [ms]."""

    def __init__(self, simulation: ubersim.Simulation) -> None:
        self._simulation = simulation
        self.arrivals: list[tuple[int, int]] = []
        """Of readings: when they were captured, and when they arrived."""
        self.executed_at: list[int] = []
        self.speeds: list[tuple[int, float]] = []
        """When, and how fast the left wheel turns against the body [rad/s]."""
        self.next_frame = 0

    def sensed(self, robot: Robot) -> None:
        """A reading has arrived."""
        if any(name == "Tilt" for name, _ in robot.readings):
            self.arrivals.append((robot.sensors["Tilt"].latest_frame, self._simulation.frame))

    def executed(self, robot: Robot, commands: Sequence[Command]) -> None:
        """Commands are executed."""
        self.executed_at.append(self._simulation.frame)

    def begun(self, frame: int) -> None:
        """Looks at the wheel."""
        bodies = self._simulation.robots["Segway"].bodies
        turning = bodies["MainBody"].angular_velocity[0] - bodies["LWheel"].angular_velocity[0]
        self.speeds.append((frame, float(turning)))
        self.next_frame = frame + 1


def run() -> tuple[Timeline, list[int]]:
    """The run, and the times at which the program looked [ms]."""
    text = ROBOT.read_text(encoding="utf-8")
    text = text.replace("<Resolution>", f"<Latency>{SENSOR_LATENCY}</Latency><Resolution>")
    looks = []
    with ubersim.Simulation() as simulation:
        robot = simulation.spawn(text)
        timeline = Timeline(simulation)
        simulation.observers.append(timeline)
        program = LocalRobot(simulation, robot, think=THINK, hz=HZ)
        while (frame := program.next_frame()).time < MILLISECONDS / 1000:
            looks.append(round(1000 * frame.time))
            for motor in ("LMotor", "RMotor"):
                program.set(motor, "Vel", 0.5 * len(looks))
    return timeline, looks


def plot(timeline: Timeline, looks: list[int], path: Path) -> None:
    """Four rows over one clock."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5), layout="constrained")
    rows, wheel = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.4))
    for captured, arrived in timeline.arrivals:
        rows.annotate("", (arrived, 2.6), (captured, 3.4), arrowprops={"arrowstyle": "->", "color": "tab:green"})
    seen = {look: max((c for c, a in timeline.arrivals if a <= look), default=None) for look in looks}
    for look, executed in zip(looks, timeline.executed_at, strict=False):
        decided = look + THINK
        rows.barh(2, THINK, left=look, height=0.5, color="tab:blue", alpha=0.7)
        newest = "sees nothing yet" if seen[look] is None else f"sees {seen[look]} ms"
        rows.text(look + 1, 2, f"{newest},\nthinks {THINK:g} ms", va="center", fontsize=8)
        rows.barh(1, executed - decided, left=decided, height=0.5, color="tab:orange", alpha=0.8)
        rows.annotate("", (executed, 0.35), (executed, 0.8), arrowprops={"arrowstyle": "->", "color": "tab:red"})
        for axes in (rows, wheel):
            axes.axvline(look, color="tab:blue", linewidth=0.7, linestyle=":")
            axes.axvline(executed, color="tab:red", linewidth=0.7, linestyle=":")
    names = ["command executed", "command on its way\n(actuation latency 10 ms)", "program looks, thinks"]
    rows.set_yticks([0.35, 1, 2, 3], [*names, f"reading captured, arrives\n(sensor latency {SENSOR_LATENCY} ms)"])
    rows.set_ylim(0.2, 3.6)
    wheel.plot(*zip(*timeline.speeds, strict=True), color="tab:red")
    wheel.set(xlabel="simulated time [ms]", ylabel="wheel speed [rad/s]", xlim=(-2, MILLISECONDS))
    wheel.set_xticks(range(0, MILLISECONDS + 1, 20))
    wheel.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Runs, tells, draws."""
    parser = argparse.ArgumentParser(description="What is delayed where, as a picture.")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    timeline, looks = run()
    print("looks at [ms]   decides at   takes effect at")
    for look, executed in zip(looks, timeline.executed_at, strict=False):
        print(f"{look:13}   {look + THINK:10g}   {executed:15}")
    plot(timeline, looks, options.out / "think_time.png")
    print(f"Picture: {options.out / 'think_time.png'}")


if __name__ == "__main__":
    main()
