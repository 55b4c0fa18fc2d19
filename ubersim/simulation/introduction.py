"""What a client has to know of its robot to understand the readings; its `Welcome` says it."""

from __future__ import annotations

from typing import Any

from ubersim.components.motors.motor import Motor
from ubersim.description.motors import MotorDescription
from ubersim.protocol.properties import TABLE
from ubersim.protocol.welcome import VERSION
from ubersim.simulation.robot import Robot


def introduction_of(robot: Robot) -> dict[str, Any]:
    """Name, sensors, joints and motors; what else its document asked of the wire, if it did."""
    version, timestamps = robot.description.settings.protocol, robot.description.settings.timestamps
    asked = ({} if version == VERSION else {"protocol": version}) | (
        {} if timestamps == "all" else {"timestamps": timestamps}
    )
    return asked | {
        "name": robot.name,
        "sensors": {
            name: channel.introduction() | ({} if version == VERSION else {"properties": channel.properties})
            for name, channel in robot.sensors.items()
        },
        "joints": {
            joint.name: {"type": joint.tag, "axes": axes, "units": [joint.units(axis)[0] for axis in range(axes)]}
            for joint in robot.description.joints
            for axes in (robot.joints[joint.name].axes,)
        },
        "motors": {name: motor.introduction() | _units(motor, robot) for name, motor in robot.motors.items()},
    }


_POSSIBLE = {entry.name: tuple(entry.unit.split(", ")) for entry in TABLE if entry.of == "motor"}
"""Units of a motor's properties; of two, what turns has the first, and what slides or drives the second."""


def _units(motor: Motor, robot: Robot) -> dict[str, dict[str, str]]:
    """The unit of each property that has one: as its type says, or as the joints do that it drives."""
    joints = {joint.name: joint for joint in robot.description.joints}
    described = motor.description
    driven = described.driven() if isinstance(described, MotorDescription) else ()
    slides = any(joints[name].units(axis)[0] == "m" for name, axis in driven)
    units = {}
    for entry in described.entries():
        own = getattr(entry.kind, "unit", "")  # of documents, which write angles in degrees
        for name in entry.numbers:
            possible = _POSSIBLE.get(name, (own,))
            units[name] = own if own in possible else possible[-1 if slides else 0]
    units = {name: unit for name, unit in units.items() if unit}
    return {"units": units} if units else {}
