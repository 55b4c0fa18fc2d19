"""A piston."""

from ubersim.components.joints.properties import LinearMotor, LinearStops, RotaryMotor2, RotaryStops2
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointPiston(RotaryStops2, RotaryMotor2, LinearStops, LinearMotor):
    """A piston in its cylinder: slides along an axis, and turns about it, which is its second axis."""

    kind = "piston"

    axis: Triple = vector("the axis, along which it slides and about which it turns", direction=True, high=1e6)
    anchor_pos: Triple = vector("a point on the axis", unit="m", high=FARTHEST)
