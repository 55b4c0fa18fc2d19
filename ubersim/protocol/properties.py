"""The one table of what commands set: each property's name, its number on the wire, its unit, and what has it.

Fields of components name a property (`index="Vel"`); parser, wire, client, physics and the tables of the documentation
all take its number from here. The numbers are the wire's, not ODE's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Holder = Literal["joint", "sensor", "camera", "motor", "solid", "client"]


@dataclass(frozen=True, slots=True)
class Property:
    """Something that commands set."""

    of: Holder
    """What has it: cameras have what sensors have, too; motion models have what motors have."""
    number: int
    """On the wire; that of a joint's first axis."""
    name: str
    """In documents and in programs."""
    unit: str
    """At run time; documents write angles in degrees."""
    meaning: str
    """One line for the reader."""


TABLE: tuple[Property, ...] = (
    Property("joint", 0, "LoStop", "rad, m", "lower stop, from the initial pose; above `HiStop`: there are none"),
    Property("joint", 1, "HiStop", "rad, m", "upper stop, from the initial pose"),
    Property("joint", 2, "Vel", "rad/s, m/s", "the speed that the motor wants"),
    Property("joint", 3, "FMax", "N m, N", "the most that it may use to get there"),
    Property("joint", 4, "FudgeFactor", "0 to 1", "share of the motor's force that is used to leave a stop"),
    Property("joint", 5, "Bounce", "0 to 1", "restitution at the stops"),
    Property("joint", 6, "CFM", "", "softness of the motor"),
    Property("joint", 7, "StopERP", "0 to 1", "share of the error at a stop that is corrected per step"),
    Property("joint", 8, "StopCFM", "", "softness of the stops"),
    Property("joint", 9, "SuspensionERP", "0 to 1", "share of a spring's deflection that is corrected per step"),
    Property("joint", 10, "SuspensionCFM", "", "softness of a spring"),
    Property("sensor", 0, "Frequency", "Hz", "readings per second; 0: one in every frame"),
    Property("sensor", 1, "Latency", "ms", "time from measuring to arrival"),
    Property("sensor", 2, "Noise", "", "standard deviation, in the unit of the reading"),
    Property("camera", 16, "Fov", "rad", "horizontal field of view"),
    Property("camera", 17, "Brightness", "", "factor on the pixels"),
    Property("camera", 18, "Level", "", "0 image, 1 objects, 2 truth; of switchable cameras"),
    Property("solid", 24, "Red", "0 to 1", "of its colour"),
    Property("solid", 25, "Green", "0 to 1", "of its colour"),
    Property("solid", 26, "Blue", "0 to 1", "of its colour"),
    Property("motor", 32, "Target", "rad, m", "where it goes"),
    Property("motor", 33, "Kp", "N m/rad, N/m", "torque or force per error"),
    Property("motor", 34, "Ki", "N m/(rad s), N/(m s)", "torque or force per error and time"),
    Property("motor", 35, "Kd", "N m s/rad, N s/m", "torque or force per rate"),
    Property("motor", 36, "Voltage", "V", "what is applied to it"),
    Property("motor", 37, "Torque", "N m, N", "what it exerts"),
    Property("motor", 38, "Speed", "rad/s, m/s", "how fast it goes"),
    Property("motor", 39, "Stiffness", "N m/rad, N/m", "of a spring"),
    Property("motor", 40, "Damping", "N m s/rad, N s/m", "of a damper"),
    Property("motor", 41, "Rest", "rad, m", "where a spring is relaxed"),
    Property("motor", 42, "Kick", "0 to 1", "kicks, at this share of its speed"),
    Property("motor", 43, "Pose", "", "number of the position to go to, from 0"),
    Property("motor", 44, "Steering", "rad", "of a wheel in the middle between the front ones, to the left"),
    Property("motor", 45, "Curvature", "1/m", "of the way of the rear axle's middle, to the left"),
    Property("motor", 46, "TorqueLimit", "N m, N", "the most that it exerts"),
    Property("motor", 47, "SpeedLimit", "rad/s, m/s", "the fastest that it drives"),
    Property("motor", 48, "WindupLimit", "N m, N", "the most that the integral part grows to"),
    Property("motor", 49, "Acceleration", "rad/s^2, m/s^2", "how fast its speed changes, at most"),
    Property("motor", 50, "TurnRate", "rad/s", "turning to the left"),
    Property("motor", 51, "TurnAcceleration", "rad/s^2", "how fast its turn rate changes, at most"),
    Property("motor", 52, "LeftWheel", "rad/s", "of the left wheel, forward"),
    Property("motor", 53, "RightWheel", "rad/s", "of the right wheel, forward"),
    Property("motor", 54, "SpeedX", "m/s", "to the right"),
    Property("motor", 55, "SpeedY", "m/s", "forward"),
    Property("motor", 56, "SpeedZ", "m/s", "up"),
    Property("motor", 57, "PitchRate", "rad/s", "turning the nose up"),
    Property("motor", 58, "RollRate", "rad/s", "turning the right side down"),
    Property("motor", 59, "Turn", "rad/s", "turning to the left: of the twist that every drive takes"),
    Property("motor", 60, "Sideways", "m/s", "to the right: of the twist that every drive takes, if it can"),
    Property("client", 0, "Latency", "ms", "time from a command to its execution"),
)
"""A name means the same, and has one number, in whatever component has it; only the client's `Latency` is its own."""

OWN_NUMBERS = range(64, 256)
"""Never in the table: for the components of other packages."""
NEXT_AXIS = 0x100
"""What a property's number grows by from one axis of a joint to the next."""
AXES = 3
"""No joint has more axes."""


def _of(*holders: Holder) -> Mapping[str, int]:
    return MappingProxyType({entry.name: entry.number for entry in TABLE if entry.of in holders})


def on_axis(name: str, axis: int) -> str:
    """What a joint's property is called on an axis, counted from 0: `Vel`, `Vel2`, `Vel3`."""
    return f"{name}{axis + 1}" if axis else name


AXIS_PROPERTIES = _of("joint")
"""What one axis of a joint may have."""
JOINT_PROPERTIES: Mapping[str, int] = MappingProxyType(
    {on_axis(name, axis): number + axis * NEXT_AXIS for axis in range(AXES) for name, number in AXIS_PROPERTIES.items()}
)
"""What joints have: `Vel`, then `Vel2`, then `Vel3`."""
SENSOR_PROPERTIES = _of("sensor")
"""What every sensor has."""
CAMERA_PROPERTIES = _of("sensor", "camera")
SOLID_PROPERTIES = _of("solid")
MOTOR_PROPERTIES = _of("motor")
"""What motors and motion models have, each some of it."""
CLIENT_PROPERTIES = _of("client")

NUMBERS: Mapping[str, int] = MappingProxyType(
    {**JOINT_PROPERTIES, **CAMERA_PROPERTIES, **SOLID_PROPERTIES, **MOTOR_PROPERTIES}
)
"""Of everything that a component may have."""
