#!/usr/bin/env python3
"""How much latency does the Segway's PD loop bear? Computed from a linear model, measured in the simulator, compared.

    python examples/latency_study.py            # a table, and the plot out/latency_study.png

The model
---------
Let x be the axle's way forward, θ the tilt of the body from its balance, nose up positive, and r the wheels' radius.
The body has mass m, its centre of mass at a distance l from the axle, and the inertia I about the axle. The wheels
roll, which makes the robot as heavy to push as M = m + wheels' masses + wheels' inertias / r². With the motors'
torque τ, which drives the wheels forward and turns the body's nose up, Lagrange's equations are, for small tilts,

    M x" - m l θ" = τ / r
    I θ" - m l x" = m g l θ + τ

The motors are strong: they give whatever torque it takes to keep the speed u that they are told, which is that of the
body relative to the wheels, u = x' / r + θ'. So x" = r (u' - θ"), and when τ is eliminated there remains

    J θ" = m g l θ + r (m l + r M) u'         J = I + 2 r m l + r² M
    θ" = A θ + B a                            A = m g l / J,  B = r (m l + r M) / J,  a = u'

J is the inertia about the point where the robot touches the ground. With a = -KP θ - KD θ' it stands if B KP > A.

The delay margin
----------------
The loop's gain is B (KP + KD s) / (s² - A). At the crossover w its magnitude is 1: B √(KP² + KD² w²) = w² + A. Its
phase there is ahead of -180° by atan(KD w / KP), and a delay L costs w L. In continuous time the loop therefore bears

    L = atan(KD w / KP) / w

What sampling adds
------------------
The tilt is read every T = 10 ms, and its rate is the difference of two readings, which is the rate of T/2 ago. The
speed changes in steps: by T a at once, where a continuous a would take the time T, so this hold costs no delay. Half
a period on the D part is thus the bulk of it. The exact answer needs no such reasoning: a step of the speed kicks the
tilt's rate by B Δu, a kick comes L after its reading, and between kicks θ" = A θ has a closed solution. So the state
(θ, θ', the last θ, the kicks under way) goes from reading to reading by a matrix. The loop is unstable when that has
an eigenvalue z outside the unit circle; its oscillation grows by ln|z| / T.

The experiment
--------------
The robot is let go standing straight, 4° from its balance, and the size of its swings, from one turning point to the
next, is followed: they shrink, or they grow. Swings below 0.5° do not count: there rule the inclinometer's steps of
0.128° and the rolling friction of the tyres, which holds against 0.75° of tilt, and the robot goes on trembling a
little instead of coming to rest. Nor do swings above 10°; a run ends when the tilt gets there, and how soon it does is
told instead of when it falls. Latency counts in whole frames, here of 1 ms.

When, or whether, it falls would be the wrong question. Tilted that far the controller asks for more than the motors
have: their whole torque drives the wheels, one way and then the other, until they are told to turn back, and their
speed is a zigzag between the stops of the top speed. Whether they come under the body in time depends on where in a
swing the torque ran out, and that changes with every millisecond. With 75 ms it tips by 48°, the wheels catch up, and
it staggers on; with 80 ms it lies down, with 105 ms later than with 104. The lower half of the plot shows two of these.

The model leaves out rolling friction, slip of the tyres, the sensor's resolution and the limit of the torque. They
make swings shrink more slowly and grow faster than computed, and cost one or two milliseconds. Without them growth in
the simulator agrees with the eigenvalues to 0.05 / s from 62 to 69 ms (tests/test_examples.py).
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from serving import serving  # beside this file

import ubersim
from ubersim.control.balancer import BALANCE, KD, KP, PERIOD, WHEEL_RADIUS, Balancer
from ubersim.description import Materials, RobotDescription, default_materials
from ubersim.timing.latency import Constant

ROBOT = ubersim.shipped("robots/segway.xml")
SECONDS = 6.0
LYING = math.radians(90.0)
SWINGS = math.radians(0.5), math.radians(10.0)
"""Where the loop is as good as linear [rad]."""
BEYOND = 75, 80
"""Latencies whose runs are shown to the end [ms]."""
SHOWN = 3.2
"""Of those [s]."""
LONGEST = 120
"""Of the latencies that are studied [ms]."""
ONCE_AN_HOUR = 1 / 3600
"""For the camera, which is not needed here [Hz]."""


@dataclass(frozen=True)
class Model:
    """θ" = A θ + B a."""

    a: float
    """[1/s²]"""
    b: float
    """[-]"""
    kp: float = KP
    kd: float = KD

    @staticmethod
    def of(robot: RobotDescription, gravity: float = 9.81) -> Model:
        """The model of a body with its axle in the model's origin, followed by its wheels."""
        body, *wheels = (part.mass_properties() for part in robot.bodies)
        r, m, l = WHEEL_RADIUS, body.mass, math.hypot(*body.center[1:])  # noqa: E741  as in the text
        rolling = m + sum(wheel.mass + wheel.inertia[0, 0] / r**2 for wheel in wheels)
        about_axle = body.inertia[0, 0] + m * l**2
        about_ground = about_axle + 2 * r * m * l + r**2 * rolling
        return Model(m * gravity * l / about_ground, r * (m * l + r * rolling) / about_ground)

    def delay_margin(self) -> float:
        """Of the loop in continuous time [s]."""
        # (w² + A)² = B² (KP² + KD² w²) is quadratic in w².
        half = (self.b * self.kd) ** 2 / 2 - self.a
        w = math.sqrt(half + math.sqrt(half**2 + (self.b * self.kp) ** 2 - self.a**2))
        return math.atan(self.kd * w / self.kp) / w

    def oscillation(self, latency: float) -> tuple[float, float]:
        """Growth rate [1/s] and frequency [rad/s] of the sampled loop's slowest decaying oscillation; nan if none."""
        swinging = [z for z in np.linalg.eigvals(self._from_reading_to_reading(latency)) if z.imag > 1e-9]
        if not swinging:
            return math.nan, math.nan
        z = max(swinging, key=abs)
        return math.log(abs(z)) / PERIOD, math.atan2(z.imag, z.real) / PERIOD

    def stands(self, latency: float) -> bool:
        """Whether all that moves in the sampled loop dies away."""
        return bool(np.abs(np.linalg.eigvals(self._from_reading_to_reading(latency))).max() < 1)

    def _from_reading_to_reading(self, latency: float) -> np.ndarray:
        whole, part = divmod(round(latency, 9), PERIOD)
        kicks = round(whole)
        # The state: θ, θ', the last θ, and the kicks under way, newest first.
        step = np.eye(3 + kicks, k=-1)
        new_kick = np.zeros(3 + kicks)
        new_kick[0], new_kick[2] = -self.kp * PERIOD - self.kd, self.kd
        step[:3] = 0.0
        step[:2, :2] = self._free(PERIOD)
        step[2, 0] = 1.0
        if kicks:
            step[3] = new_kick
        landing = np.eye(3 + kicks)[-1] if kicks else new_kick
        step[:2] += np.outer(self._free(PERIOD - part)[:, 1] * self.b, landing)
        return step

    def threshold(self) -> float:
        """The latency above which the sampled loop's oscillation grows [s]."""
        low, high = 0.0, LONGEST / 1000
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (low, middle) if self.oscillation(middle)[0] > 0 else (middle, high)
        return low

    def _free(self, time: float) -> np.ndarray:
        """How (θ, θ') moves on without a kick."""
        w = math.sqrt(self.a)
        c, s = math.cosh(w * time), math.sinh(w * time)
        return np.array([[c, s / w], [w * s, c]])


@dataclass(frozen=True)
class Run:
    """What the inclinometer said while the robot was balanced, and the truth."""

    readings: list[float]
    """[rad]"""
    tilts: list[float]
    """From the balance [rad]."""
    wanted: list[float]
    """Speed of the wheels relative to the body, as the controller says [rad/s]."""
    turned: list[float]
    """The same as it is [rad/s]."""

    @property
    def times(self) -> np.ndarray:
        """Of the readings [s]."""
        return np.arange(len(self.tilts)) * PERIOD

    @property
    def left(self) -> bool:
        """Whether it left, in the end, what is as good as linear."""
        return abs(self.tilts[-1]) > SWINGS[1]

    def growth(self) -> float:
        """Of the swings [1/s], nan if there are too few of them."""
        turns = [n for n in range(1, len(self.tilts) - 1) if self._speed(n) * self._speed(n + 1) < 0]
        times, sizes = [], []
        for begin, end in list(pairwise(turns))[1:]:  # the first one still has to do with how it started
            size = abs(self.tilts[end] - self.tilts[begin])
            if not SWINGS[0] < size < SWINGS[1]:
                break
            times.append((begin + end) / 2 * PERIOD)
            sizes.append(math.log(size))
        return float(np.polyfit(times, sizes, 1)[0]) if len(times) >= 3 else math.nan

    def _speed(self, number: int) -> float:
        return self.tilts[number] - self.tilts[number - 1]


def let_go(
    robot: RobotDescription, latency: int, materials: Materials | None = None, largest: float = SWINGS[1]
) -> Run:
    """Balances the robot with this latency [ms] until the time is over, or it has tilted by more than the largest."""
    settings = replace(robot.settings, latency=Constant(float(latency)))
    run, balancer = Run([], [], [], []), Balancer()
    with ubersim.Simulation(materials=materials) as simulation:
        segway = simulation.spawn(replace(robot, settings=settings))
        segway.command("Cam", "Frequency", ONCE_AN_HOUR)
        body, wheel = segway.bodies["MainBody"], segway.bodies["LWheel"]
        rotation = body.rotation
        while simulation.time < SECONDS and not (run.tilts and abs(run.tilts[-1]) > largest):
            reading = segway.read("Tilt")
            assert isinstance(reading, float)
            run.readings.append(reading)
            run.tilts.append(math.atan2(rotation[2, 1], rotation[2, 2]) - BALANCE)
            # In single precision, as on the wire: then both ways lead to the same bits.
            speed = float(np.float32(balancer.update(reading)))
            run.wanted.append(speed)
            run.turned.append(body.angular_velocity[0] - wheel.angular_velocity[0])
            segway.command("LMotor", "Vel", speed)
            segway.command("RMotor", "Vel", speed)
            simulation.step(round(PERIOD / simulation.step_size))
    return run


def readings_over_tcp(latency: int) -> list[float]:
    """The same with a server."""
    readings, balancer = [], Balancer()
    with (
        serving("--clients", "1", "--frames", str(round(SECONDS * 1000))) as port,
        ubersim.connect(ROBOT, port=port, latency=latency) as segway,
    ):
        segway.set("Cam", "Frequency", ONCE_AN_HOUR)
        for frame in segway:
            if "Tilt" in frame:
                readings.append(float(frame["Tilt"]))
                speed = balancer.update(readings[-1])
                segway.set("LMotor", "Vel", speed)
                segway.set("RMotor", "Vel", speed)
    return readings


def measured_threshold(robot: RobotDescription, runs: dict[int, Run]) -> tuple[int, int]:
    """The longest latency with which swings shrink and the shortest with which they grow [ms], by bisection.

    Latencies that are not among the runs yet are added to them.
    """
    shrinks, grows = 0, LONGEST
    while grows - shrinks > 1:
        middle = (shrinks + grows) // 2
        if middle not in runs:
            runs[middle] = let_go(robot, middle)
        if runs[middle].left or runs[middle].growth() > 0:
            grows = middle
        else:
            shrinks = middle
    return shrinks, grows


def plot(model: Model, runs: dict[int, Run], beyond: dict[int, Run], threshold: tuple[int, int], path: Path) -> None:
    """Some of the runs, growth over latency, and what comes beyond."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 8.5), layout="constrained")
    (swings, growth), (tilts, speeds) = figure.subplots(2, 2)
    for latency, color in ((20, "tab:green"), (60, "tab:blue"), (threshold[1], "tab:orange"), (70, "tab:red")):
        run = runs[latency]
        swings.plot(run.times, np.degrees(run.tilts), color=color, label=f"{latency} ms", linewidth=1.2)
    swings.set(xlabel="time [s]", ylabel="tilt from the balance [°]", title="Let go at 4°")
    swings.legend(title="latency", loc="upper right", ncols=2)
    latencies = np.arange(0, LONGEST + 1)
    growth.plot(latencies, [model.oscillation(ms / 1000)[0] for ms in latencies], color="black", label="linear model")
    growth.plot(list(runs), [run.growth() for run in runs.values()], "o", color="tab:red", label="simulator")
    growth.axvspan(*threshold, color="tab:red", alpha=0.3, label="simulator's threshold")
    growth.axhline(0, color="grey", linewidth=0.8)
    growth.set(xlabel="latency [ms]", ylabel="growth of the oscillation [1/s]", xlim=(40, LONGEST), ylim=(-5, 5))
    growth.set_title("Below zero the swings shrink, above they grow")
    growth.legend(loc="lower right")
    for (latency, run), color in zip(beyond.items(), ("tab:red", "tab:blue"), strict=True):
        tilts.plot(run.times, np.degrees(run.tilts), color=color, label=f"{latency} ms")
        speeds.plot(run.times, run.turned, color=color, label=f"{latency} ms")
        speeds.plot(run.times, run.wanted, color=color, linewidth=0.8, linestyle=":")
    tilts.axhspan(*(math.degrees(sign * SWINGS[1]) for sign in (-1, 1)), color="grey", alpha=0.15)
    tilts.set(xlabel="time [s]", ylabel="tilt from the balance [°]", xlim=(0, SHOWN))
    tilts.set_title("Beyond 10°: the shorter latency tips sooner, and is caught")
    speeds.set(xlabel="time [s]", ylabel="speed of the wheels [rad/s]", xlim=(0, SHOWN))
    speeds.set_title("As it is, and as it is wanted (dotted): the torque is all used up")
    for axes in (tilts, speeds):
        axes.legend(title="latency", loc="lower left")
    for axes in (swings, growth, tilts, speeds):
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Computes, measures, compares."""
    parser = argparse.ArgumentParser(description="How much latency does the Segway's PD loop bear?")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the plot")
    options = parser.parse_args()

    robot = ubersim.load_robot(ROBOT, materials=default_materials())
    model = Model.of(robot)
    print(f'Linear model: θ" = {model.a:.2f} θ + {model.b:.3f} a; it stands if KP > {model.a / model.b:.1f} / s²')
    print(f"Gains: KP = {KP:g} / s², KD = {KD:g} / s\n")
    print("latency [ms]   growth [1/s]: model   simulator   outcome")
    runs = {latency: let_go(robot, latency) for latency in (*range(0, LONGEST + 1, 10), 55)}
    shrinks, grows = measured_threshold(robot, runs)
    for latency, run in sorted(runs.items()):
        computed, measured = model.oscillation(latency / 1000)[0], run.growth()
        print(f"{latency:12}   {number(computed):>19}   {number(measured):>9}   {outcome(run)}")

    measured, computed = (shrinks + grows) / 2, 1000 * model.threshold()
    print(f"\nDelay margin: {1000 * model.delay_margin():.1f} ms in continuous time, {computed:.1f} ms when sampled.")
    print(f"In the simulator swings shrink with {shrinks} ms and grow with {grows} ms: {measured / computed - 1:+.1%}.")
    same = readings_over_tcp(shrinks) == runs[shrinks].readings
    print(f"Over TCP with {shrinks} ms, all readings are {'the same' if same else 'NOT the same'}, to the last bit.")
    beyond = {latency: let_go(robot, latency, largest=LYING) for latency in BEYOND}
    plot(model, runs, beyond, (shrinks, grows), options.out / "latency_study.png")
    print(f"Plot: {options.out / 'latency_study.png'}")


def number(value: float) -> str:
    """With two digits, or a dash."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def outcome(run: Run) -> str:
    """How it ended."""
    if run.left:
        return f"swings beyond {math.degrees(SWINGS[1]):.0f}° after {run.times[-1]:.1f} s"
    last = run.tilts[-round(1 / PERIOD) :]
    return f"swings by {math.degrees(max(last) - min(last)):.2f}° in the last second"


if __name__ == "__main__":
    main()
