"""A hinge."""

from ubersim.components.joints.properties import RotaryMotor, RotaryStops
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointHinge(RotaryStops, RotaryMotor):
    """A hinge: lets the bodies turn about one axis, with a motor and stops."""

    kind = "hinge"

    axis: Triple = vector("the axis", direction=True, high=1e6)
    anchor_pos: Triple = vector("a point on the axis", unit="m", high=FARTHEST)
