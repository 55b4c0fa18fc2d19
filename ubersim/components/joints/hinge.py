"""A hinge."""

from ubersim.components.joints.properties import Resistance, RotaryMotor, RotaryStops
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import angle, vector
from ubersim.geometry import Triple


@component
class JointHinge(Resistance, RotaryStops, RotaryMotor):
    """A hinge: lets the bodies turn about one axis, with a motor and stops."""

    kind = "hinge"

    axis: Triple = vector("the axis", direction=True, high=1e6)
    anchor_pos: Triple = vector("a point on the axis", unit="m", high=FARTHEST)
    initial_position: float = angle(
        "what it reads in the pose of the document; stops and targets count from the same zero",
        low=-360,
        high=360,
        default=0.0,
    )
