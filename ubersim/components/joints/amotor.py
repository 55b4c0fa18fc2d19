"""An angular motor."""

from ubersim.components.joints.properties import FreeAxes, RotaryMotor, RotaryMotor2, RotaryMotor3
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointAMotor(FreeAxes, RotaryMotor3, RotaryMotor2, RotaryMotor):
    """Drives the angular velocity between two bodies about one to three axes; holds nothing."""

    kind = "amotor"
    holds_a_point = False

    axis1: Triple = vector("the first axis, fixed to body 1", direction=True, high=1e6)
    axis2: Triple | None = vector("the second axis, fixed to body 1", direction=True, high=1e6, default=None)
    axis3: Triple | None = vector("the third axis, fixed to body 1", direction=True, high=1e6, default=None)
    anchor_pos: Triple | None = vector(
        "where it is; it holds no point, this is for the reader", unit="m", high=FARTHEST, default=None
    )
