"""A slider with a hinge at its end."""

from ubersim.components.joints.properties import CrossedAxes, LinearMotor, LinearStops, RotaryMotor2, RotaryStops2
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointPR(CrossedAxes, RotaryStops2, RotaryMotor2, LinearStops, LinearMotor):
    """A slider that ends in a hinge (prismatic and rotoide): slides along the first axis, turns about the second."""

    kind = "pr"

    axis1: Triple = vector("the axis along which it slides, fixed to body 1", direction=True, high=1e6)
    axis2: Triple = vector("the axis about which it turns, fixed to body 2", direction=True, high=1e6)
    anchor_pos: Triple = vector("a point on the axis of the hinge", unit="m", high=FARTHEST)
