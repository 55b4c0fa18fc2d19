"""A linear motor."""

from ubersim.components.joints.properties import FreeAxes, LinearMotor, LinearMotor2, LinearMotor3
from ubersim.description.component import component


@component
class JointLMotor(FreeAxes, LinearMotor3, LinearMotor2, LinearMotor):
    """Drives the velocity between two bodies along one to three axes, as thrusters do; holds nothing."""

    kind = "lmotor"
