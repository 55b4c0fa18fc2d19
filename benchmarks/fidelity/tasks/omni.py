"""The middle size robot on its three omni wheels: straight on, and on the spot."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.measuring import angle_between
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Engine
from benchmarks.scenes.robots import scene_of
from tests.helpers.robot_programs import document
from ubersim.simulation import Simulation

WHEELS = {"Right": 30.0, "Left": 150.0, "Rear": 270.0}
"""Azimuths of the wheels [degrees]."""
DISTANCE, RADIUS, TORQUE = 0.17, 0.05, 8.0
SPEED = 0.5
START = 0.5
"""How long it takes to get going [s]."""


def stand(build: Build, step: float) -> tuple[Engine, list[int]]:
    """The robot on the ground, and the numbers of its wheels' joints."""
    simulation = Simulation(step=step)
    robot = simulation.spawn(document("msl_omni"))
    simulation.step(10)  # motors take hold of their joints
    places = [list(robot.joints).index(name) for name in WHEELS]
    return build(scene_of(simulation)), places


def drive(engine: Engine, wheels: list[int], degrees: float, speed: float, turning: float) -> None:
    """Wheel speeds for a motion, as kinematics has them."""
    x, y = speed * math.cos(math.radians(degrees)), speed * math.sin(math.radians(degrees))
    for wheel, azimuth in zip(wheels, map(math.radians, WHEELS.values()), strict=True):
        rate = (y * math.cos(azimuth) - x * math.sin(azimuth) + turning * DISTANCE) / RADIUS
        engine.drive(wheel, rate, TORQUE)


def start(engine: Engine, wheels: list[int], degrees: float, speed: float, turning: float) -> None:
    """Faster and faster, so that nothing slips, and a moment at full speed."""
    for part in np.linspace(0.1, 1.0, 10):
        drive(engine, wheels, degrees, part * speed, part * turning)
        engine.run(round(START / 10 / engine.scene.step))
    engine.run(round(0.1 / engine.scene.step))


def straight(build: Build, degrees: float, distance: float, step: float = 0.001) -> tuple[float, float]:
    """After the start: error of the place as a share of the distance [%], and the change of heading [degrees]."""
    engine, wheels = stand(build, step)
    start(engine, wheels, degrees, SPEED, 0.0)
    place, axes = engine.positions[0], engine.rotations[0]
    engine.run(round(distance / SPEED / step))
    way = axes.T @ (engine.positions[0] - place)
    wanted = distance * np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0.0])
    error = float(np.linalg.norm((way - wanted)[:2])) / distance
    return 100 * error, angle_between(axes[:, 0], engine.rotations[0][:, 0])


def turns(build: Build) -> tuple[float, float]:
    """Ten of them, after the start: error of the angle [degrees], and how far its middle has moved [mm]."""
    engine, wheels = stand(build, 0.001)
    start(engine, wheels, 0.0, 0.0, 5.0)
    place, before, angle = engine.positions[0], _heading(engine), 0.0
    steps = round(20 * math.pi / 5.0 / 0.001)
    for chunk in [100] * (steps // 100) + [steps % 100]:
        engine.run(chunk)
        angle += math.remainder(_heading(engine) - before, math.tau)
        before = _heading(engine)
    moved = 1000 * float(np.linalg.norm((engine.positions[0] - place)[:2]))
    return math.degrees(angle) - 3600, moved


def _heading(engine: Engine) -> float:
    x, y = engine.rotations[0][:2, 0]
    return math.atan2(y, x)


def measure(build: Build) -> list[float]:
    """Five metres in three directions, two metres sideways at a fine step, ten turns."""
    far = [straight(build, degrees, 5.0) for degrees in (0.0, 30.0, 90.0)]
    fine = straight(build, 0.0, 2.0, 0.00025)
    return [max(error for error, _ in far), max(turned for _, turned in far), *fine, *turns(build)]


TASK = Task(
    "omni",
    "Robots",
    "The middle size robot, 29 bodies with all its rollers, is told by wheel speeds alone to drive 5 m at 0.5 m/s "
    "in three directions, and to turn ten times on the spot at 5 rad/s. It goes where kinematics says.",
    [
        Quantity("5 m: worst error of the place", "%", bar=1.0),
        Quantity("5 m: worst change of heading", "°", bar=1.0),
        Quantity("2 m sideways at 0.25 ms: error of the place", "%", bar=1.0),
        Quantity("2 m sideways at 0.25 ms: change of heading", "°", bar=1.0),
        Quantity("ten turns: error of the angle", "°", bar=36.0),
        Quantity("ten turns: its middle has moved by", "mm", bar=50.0),
    ],
    measure,
    step="1 ms and 0.25 ms",
)


def measure_quick(build: Build) -> list[float]:
    """Where it goes when it is told to go at 30 degrees."""
    engine, wheels = stand(build, 0.001)
    start(engine, wheels, 30.0, SPEED, 0.0)
    place, axes = engine.positions[0], engine.rotations[0]
    engine.run(300)
    x, y, _ = axes.T @ (engine.positions[0] - place)
    return [math.degrees(math.atan2(y, x))]


QUICK = Task(
    "omni_quick",
    "Robots",
    "The same robot, told to drive at 30°, with the iterative solver (`quick`).",
    [Quantity("direction in which it drives", "°", 30.0, bar=1.0)],
    measure_quick,
    engines=("ubersim",),
    settings={"ubersim": {"solver": "quick"}},
)
