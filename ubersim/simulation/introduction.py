"""What a client has to know of its robot to understand the readings; its `Welcome` says it."""

from __future__ import annotations

from typing import Any

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
        "sensors": {name: channel.introduction() for name, channel in robot.sensors.items()},
        "joints": {
            joint.name: {"type": joint.tag, "axes": axes, "units": [joint.units(axis)[0] for axis in range(axes)]}
            for joint in robot.description.joints
            for axes in (robot.joints[joint.name].axes,)
        },
        "motors": {name: motor.introduction() for name, motor in robot.motors.items()},
    }
