"""A slider."""

from ubersim.components.joints.properties import LinearMotor, LinearStops, Resistance
from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import number, vector
from ubersim.geometry import Triple


@component
class JointSlider(Resistance, LinearStops, LinearMotor):
    """A slider: lets the bodies move along one axis and not turn, with a motor and stops."""

    kind = "slider"
    holds_a_point = False

    axis: Triple = vector("the axis", direction=True, high=1e6)
    anchor_pos: Triple | None = vector(
        "where it is, for the reader; a slider holds no point", unit="m", high=FARTHEST, default=None
    )
    initial_position: float = number(
        "what it reads in the pose of the document; stops and targets count from the same zero",
        unit="m",
        low=-FARTHEST,
        high=FARTHEST,
        default=0.0,
    )
