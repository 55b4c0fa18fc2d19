"""The joint of a steered wheel."""

from ubersim.components.joints.properties import CrossedAxes, RotaryMotor, RotaryMotor2, RotaryStops, Suspension
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointHinge2(CrossedAxes, Suspension, RotaryMotor2, RotaryStops, RotaryMotor):
    """A steered, sprung wheel: body 1 is the vehicle, body 2 the wheel; without stops the steering is free."""

    kind = "hinge2"
    alone = False

    axis1: Triple = vector("the steering axis, fixed to body 1", direction=True, high=1e6)
    axis2: Triple = vector("the wheel's axle, fixed to body 2", direction=True, high=1e6)
    anchor_pos: Triple = vector("the wheel's centre", unit="m", high=FARTHEST)
