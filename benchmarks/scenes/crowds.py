"""What costs time: Segways, a pile of boxes, and the robots that come along, apart from each other or in a scrum."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.scenes.ours import UberSim
from benchmarks.scenes.robots import scene_of
from benchmarks.scenes.scene import Scene, Shape, ball, box
from tests.helpers.robot_programs import document
from ubersim.description.materials import Surface
from ubersim.description.world_file import Ground, WorldDescription, WorldSettings
from ubersim.geometry import Array
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

PLATFORMS = {
    "msl_omni": ({"Right": 30.0, "Left": 150.0, "Rear": 270.0}, 0.05),
    "ssl": ({"FR": 33.0, "FL": 147.0, "RL": 225.0, "RR": 315.0}, 0.027),
}
"""Azimuths of the wheels [degrees], and their radius [m]."""
WIDTHS = {"msl_omni": 0.52, "ssl": 0.19, "aibo": 0.3, "humanoid": 0.45}
"""From robot to robot before a scrum, so that they do not touch yet [m]."""
QUICK = WorldDescription(settings=WorldSettings(solver="quick"), ground=Ground())
"""The way into a scrum is no part of what is measured."""


def segways(count: int) -> Scene:
    """Boxes on two wheels with motors, held upright so that every step costs the same, 2 m from each other."""
    scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=0.8)})
    scene.ground()
    columns = math.ceil(math.sqrt(count))
    for place in range(count):
        x, y = 2.0 * (place % columns), 2.0 * (place // columns)
        base = scene.add(box((0.4, 0.3, 0.8), (x, y, 0.6)), 50.0, inertia=np.diag([5.0, 5.0, 3.0]))
        for side in (-1, 1):
            at = (x + 0.27 * side, y, 0.24)
            wheel = scene.add(ball(0.24, at), 5.0, inertia=0.1 * np.eye(3))
            scene.join("hinge", wheel, base, at, (1, 0, 0), Vel=-1.0, FMax=20.0)
        scene.join("amotor", base, None, (0, 0, 0), (1, 0, 0), FMax=1000.0)
        for body in scene.bodies[base:]:
            body.owner = place + 1
    return scene


def pile(count: int) -> Scene:
    """Boxes, 25 in each layer, every one a bit askew, after a second."""
    scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=0.8)})
    scene.ground()
    for place in range(count):
        x = 0.3 * (place % 5) + 0.01 * (place % 7)
        y = 0.3 * (place // 5 % 5) + 0.01 * (place % 3)
        scene.add(box((0.25, 0.25, 0.25), (x, y, 0.13 + 0.27 * (place // 25))), 1.0, inertia=0.0104 * np.eye(3))
    engine = UberSim(scene, solver="quick")
    engine.run(1000)
    for body, place, turn in zip(scene.bodies, engine.positions, engine.rotations, strict=True):
        body.position, body.rotation = place, turn
        body.shapes = [Shape("box", (0.25, 0.25, 0.25), place, turn)]
    return scene


def robots(name: str, count: int, scrum: bool) -> Scene:
    """Robots of the stable: wheels drive and legs stand, 3 m apart; in a scrum they have run into each other."""
    simulation = Simulation(QUICK) if scrum else Simulation()
    width = WIDTHS[name] if scrum else 3.0
    columns = math.ceil(math.sqrt(count))
    middle = (columns - 1) / 2
    for place in range(count):
        x, y = width * (place % columns - middle), width * (place // columns - middle)
        robot = simulation.spawn(document(name), name=f"{name}{place}", position=(x, y, 0.0))
        if name in PLATFORMS:
            _drive(robot, name, _inwards(x, y) if scrum else np.array([0.3, 0.4]))
        elif scrum:
            for body in robot.bodies.values():
                body.set_state(linear=(*(2 * _inwards(x, y)), 0.0))
    simulation.step(600 if scrum else 200)
    return scene_of(simulation)


def _inwards(x: float, y: float) -> Array:
    """Half a metre per second towards the middle."""
    return -0.5 * np.array([x, y]) / max(math.hypot(x, y), 1e-9)


def _drive(robot: Robot, name: str, velocity: Array) -> None:
    wheels, radius = PLATFORMS[name]
    for joint, degrees in wheels.items():
        azimuth = math.radians(degrees)
        along = velocity[1] * math.cos(azimuth) - velocity[0] * math.sin(azimuth)
        robot.command(joint, "Vel", float(along) / radius)
