"""What robots are made of, as plain values, for supervisors who show or tune them."""

from __future__ import annotations

from typing import Any

from ubersim.description.families import SensorDescription
from ubersim.robot import Robot
from ubersim.simulation import Simulation

_TOLD = ("noise", "frequency", "fov", "width", "height", "range", "output")
"""What is told of sensors that have it."""


def parts_of(simulation: Simulation) -> dict[str, Any]:
    """By the robots' names: latency, bodies with their solids, sensors with their places."""
    return {name: _robot(robot) for name, robot in simulation.robots.items()}


def _robot(robot: Robot) -> dict[str, Any]:
    bodies = robot.description.bodies
    return {
        "latency": robot.commands.latency.minimum,
        "bodies": {
            body.name: {
                "center": body.mass_properties().center.tolist(),
                "solids": [solid.name for solid in body.solids],
            }
            for body in bodies
        },
        "sensors": {
            sensor.name: _sensor(sensor) | _place(body, sensor) for body in bodies for sensor in body.sensors
        },
    }


def _place(body: Any, sensor: SensorDescription) -> dict[str, Any]:
    """Seen from the body's centre of mass."""
    pose = body.seen_from_center(sensor)
    return {"body": body.name, "position": pose.position.tolist(), "rotation": pose.rotation.tolist()}


def _sensor(sensor: SensorDescription) -> dict[str, Any]:
    about: dict[str, Any] = {"type": sensor.tag, "latency": sensor.latency.minimum}
    about |= {name: getattr(sensor, name) for name in _TOLD if hasattr(sensor, name)}
    if hasattr(sensor, "angles"):
        about["angles"] = sensor.angles().tolist()
    return about
