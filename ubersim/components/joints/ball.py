"""A ball and socket."""

from ubersim.description.base import FARTHEST, JointDescription
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointBall(JointDescription):
    """A ball and socket: holds a point together and lets the bodies turn about it; it has no motor."""

    kind = "ball"

    anchor_pos: Triple = vector("the point", unit="m", high=FARTHEST)
