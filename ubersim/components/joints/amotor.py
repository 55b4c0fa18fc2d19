"""An angular motor."""

from ubersim.components.joints.properties import FreeAxes, RotaryMotor, RotaryMotor2, RotaryMotor3
from ubersim.description.component import component


@component
class JointAMotor(FreeAxes, RotaryMotor3, RotaryMotor2, RotaryMotor):
    """Drives the angular velocity between two bodies about one to three axes; holds nothing."""

    kind = "amotor"
