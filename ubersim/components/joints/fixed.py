"""No movement at all."""

from ubersim.description.base import FARTHEST, JointDescription
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointFixed(JointDescription):
    """Holds the bodies as they are; it has no motor. One body with more solids is stiffer and faster."""

    kind = "fixed"
    holds_a_point = False

    anchor_pos: Triple | None = vector(
        "where it is; it holds all points alike, this is for the reader", unit="m", high=FARTHEST, default=None
    )
