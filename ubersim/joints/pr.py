"""A slider with a hinge at its end."""

from collections.abc import Iterator

from ubersim.description.component import Flaw, component
from ubersim.description.compounds import Triple
from ubersim.description.families import FARTHEST
from ubersim.description.fields import vector
from ubersim.joints.properties import LinearMotor, RotaryMotor2, RotaryStops2, independent


@component
class JointPR(RotaryStops2, RotaryMotor2, LinearMotor):
    """A slider that ends in a hinge (prismatic and rotoide): slides along the first axis, turns about the second."""

    kind = "pr"

    axis1: Triple = vector("the axis along which it slides, fixed to body 1", direction=True, high=1e6)
    axis2: Triple = vector("the axis about which it turns, fixed to body 2", direction=True, high=1e6)
    anchor_pos: Triple = vector("a point on the axis of the hinge", unit="m", high=FARTHEST)

    @property
    def anchor(self) -> Triple:
        return self.anchor_pos

    @property
    def axes(self) -> tuple[Triple, ...]:
        return self.axis1, self.axis2

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if not independent(self.axes):
            yield Flaw("is parallel to Axis1", "axis2")
