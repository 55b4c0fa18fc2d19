"""A universal joint."""

from ubersim.components.joints.properties import CrossedAxes, RotaryMotor, RotaryMotor2, RotaryStops, RotaryStops2
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointUniversal(CrossedAxes, RotaryStops2, RotaryMotor2, RotaryStops, RotaryMotor):
    """A universal (cardan) joint: lets the bodies turn about two axes, each with a motor and stops."""

    kind = "universal"

    axis1: Triple = vector("the axis that is fixed to body 1", direction=True, high=1e6)
    axis2: Triple = vector("the axis that is fixed to body 2", direction=True, high=1e6)
    anchor_pos: Triple = vector("the point where they meet", unit="m", high=FARTHEST)
