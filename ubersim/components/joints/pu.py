"""A slider with a universal joint at its end."""

from ubersim.components.joints.properties import (
    CrossedAxes,
    LinearMotor3,
    LinearStops3,
    RotaryMotor,
    RotaryMotor2,
    RotaryStops,
    RotaryStops2,
)
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointPU(CrossedAxes, LinearStops3, LinearMotor3, RotaryStops2, RotaryMotor2, RotaryStops, RotaryMotor):
    """A slider that ends in a universal joint: turns about the first two axes, slides along the third."""

    kind = "pu"

    axis1: Triple = vector("the first axis of turning, fixed to body 1", direction=True, high=1e6)
    axis2: Triple = vector("the second axis of turning, fixed to body 2", direction=True, high=1e6)
    axis3: Triple = vector("the axis along which it slides, fixed to body 1", direction=True, high=1e6)
    anchor_pos: Triple = vector("the point where the axes of turning meet", unit="m", high=FARTHEST)
