"""Numbers of the properties that commands set, and their names, both ways. They are the wire's, not ODE's own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_FIRST_AXIS = {
    "LoStop": 0,
    "HiStop": 1,
    "Vel": 2,
    "FMax": 3,
    "FudgeFactor": 4,
    "Bounce": 5,
    "CFM": 6,
    "StopERP": 7,
    "StopCFM": 8,
    "SuspensionERP": 9,
    "SuspensionCFM": 10,
}

NEXT_AXIS = 0x100
"""What a property's number grows by from one axis of a joint to the next."""
AXES = 3
"""No joint has more axes."""


def joint_properties(axes: int = AXES) -> dict[str, int]:
    """Names and numbers of the properties of a joint with that many axes: `Vel`, then `Vel2`, then `Vel3`."""
    return {
        name + (str(axis + 1) if axis else ""): number + axis * NEXT_AXIS
        for axis in range(axes)
        for name, number in _FIRST_AXIS.items()
    }


def _names(properties: Mapping[str, int]) -> Mapping[int, str]:
    return MappingProxyType({number: name for name, number in properties.items()})


JOINT_PROPERTIES: Mapping[str, int] = MappingProxyType(joint_properties())
JOINT_PROPERTY_NAMES = _names(JOINT_PROPERTIES)

SENSOR_PROPERTIES: Mapping[str, int] = MappingProxyType({"Frequency": 0, "Latency": 1, "Noise": 2})
"""What every sensor has."""
CAMERA_PROPERTIES: Mapping[str, int] = MappingProxyType({**SENSOR_PROPERTIES, "Fov": 16, "Brightness": 17, "Level": 18})
CAMERA_PROPERTY_NAMES = _names(CAMERA_PROPERTIES)
SENSOR_PROPERTY_NAMES = _names(SENSOR_PROPERTIES)

MOTOR_PROPERTIES: Mapping[str, int] = MappingProxyType(
    {
        "Target": 32,
        "Kp": 33,
        "Ki": 34,
        "Kd": 35,
        "Voltage": 36,
        "Torque": 37,
        "Speed": 38,
        "Stiffness": 39,
        "Damping": 40,
        "Rest": 41,
        "Kick": 42,
        "Pose": 43,
        "Steering": 44,
        "Curvature": 45,
        "TorqueLimit": 46,
        "SpeedLimit": 47,
        "WindupLimit": 48,
        "Acceleration": 49,
        "TurnRate": 50,
        "TurnAcceleration": 51,
        "LeftWheel": 52,
        "RightWheel": 53,
        "SpeedX": 54,
        "SpeedY": 55,
    }
)
"""What motors and motion models have, each some of it; a name means the same, and has one number, in all of them."""
MOTOR_PROPERTY_NAMES = _names(MOTOR_PROPERTIES)

CLIENT_PROPERTIES: Mapping[str, int] = MappingProxyType({"Latency": 0})
CLIENT_PROPERTY_NAMES = _names(CLIENT_PROPERTIES)
