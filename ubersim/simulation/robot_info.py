"""What robots are made of, and how they are set now, as plain values, for supervisors who show or tune them."""

from __future__ import annotations

from typing import Any

from ubersim.components.motors.motor import Motor
from ubersim.description import RobotDescription
from ubersim.description.base import STATIC, JointDescription, SensorDescription
from ubersim.description.motors import MotorDescription
from ubersim.physics import Joint
from ubersim.protocol.quantity import to_plain
from ubersim.simulation.robot import Robot
from ubersim.simulation.simulation import Simulation
from ubersim.timing.latency import LatencyModel

_TOLD = ("noise", "frequency", "fov", "width", "height", "range", "output", "format")
"""What is told of sensors that have it."""


def robot_info(simulation: Simulation) -> dict[str, Any]:
    """By the robots' names: latency, bodies with their solids, joints and motors, sensors with their places."""
    return {name: present(robot) for name, robot in simulation.robots.items()}


def described(robot: RobotDescription) -> dict[str, Any]:
    """As its document says; of joints only what they connect, and nothing of motors."""
    return {
        **_latency(robot.settings.latency),
        "bodies": {
            body.name: {
                "center": body.mass_properties().center.tolist(),
                "solids": [solid.name for solid in body.shown],
            }
            for body in robot.bodies
        },
        "joints": {},
        "links": {joint.name: _link(joint) for joint in robot.joints},
        "motors": {},
        "sensors": {
            sensor.name: _sensor(sensor) | _place(body, sensor) for body in robot.bodies for sensor in body.sensors
        },
    }


def present(robot: Robot) -> dict[str, Any]:
    """One robot as it is now."""
    about = described(robot.description)
    about |= _latency(robot.commands.latency, len(robot.commands.under_way))
    about["joints"] = {name: _joint(joint) for name, joint in robot.joints.items()}
    about["motors"] = {name: _motor(motor) for name, motor in robot.motors.items()}
    for name, channel in robot.sensors.items():
        if name not in about["sensors"]:
            continue  # a joint's report
        about["sensors"][name] |= _latency(channel.latency, channel.under_way) | {"frequency": channel.frequency}
        if hasattr(channel.reader, "noise"):
            about["sensors"][name]["noise"] = channel.reader.noise
    return about


def _latency(model: LatencyModel, under_way: int = 0) -> dict[str, Any]:
    """The least that it takes [ms], the model as plain data and in words, and how many things are under way."""
    return {
        "latency": model.minimum,
        "latency_model": model.to_dict(),
        "latency_words": str(model),
        "under_way": under_way,
    }


def _link(joint: JointDescription) -> dict[str, Any]:
    """What a joint connects, and in model space where [m] and about which axes."""
    bodies = [name for name in (joint.body1, joint.body2) if name != STATIC]
    return {"bodies": bodies, "anchor": joint.anchor, "axes": [list(axis) for axis in joint.axes]}


def _joint(joint: Joint) -> dict[str, float]:
    """Speed and strength of its own motor, by the names of the properties."""
    return {
        name: joint.get(number) for name, number in joint.properties.items() if name.rstrip("23") in ("Vel", "FMax")
    }


def _motor(motor: Motor) -> dict[str, Any]:
    """What its properties are now, and the joints that it drives, with their axes."""
    about = motor.description
    drives = [list(axis) for axis in about.driven()] if isinstance(about, MotorDescription) else []
    return {"values": motor.values(), "drives": drives}


def _place(body: Any, sensor: SensorDescription) -> dict[str, Any]:
    """Seen from the body's centre of mass."""
    pose = body.seen_from_center(sensor)
    return {"body": body.name, "position": pose.position.tolist(), "rotation": pose.rotation.tolist()}


def _sensor(sensor: SensorDescription) -> dict[str, Any]:
    about: dict[str, Any] = {"type": sensor.tag, **_latency(sensor.latency)}
    about |= {name: getattr(sensor, name) for name in _TOLD if hasattr(sensor, name)}
    if getattr(sensor, "switchable", False):
        about["listed"] = to_plain(sensor.quantities)  # of a row, while it lists what it sees
    if hasattr(sensor, "angles"):
        about["angles"] = sensor.angles().tolist()
    return about
