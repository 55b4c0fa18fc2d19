"""A slider."""

from ubersim.components.joints.properties import LinearMotor, LinearStops
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple


@component
class JointSlider(LinearStops, LinearMotor):
    """A slider: lets the bodies move along one axis and not turn, with a motor and stops."""

    kind = "slider"
    holds_a_point = False

    axis: Triple = vector("the axis", direction=True, high=1e6)
    anchor_pos: Triple | None = vector(
        "where it is, for the reader; a slider holds no point", unit="m", high=FARTHEST, default=None
    )
