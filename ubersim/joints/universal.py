"""A universal joint."""

from collections.abc import Iterator

from ubersim.description.component import Flaw, component
from ubersim.description.compounds import Triple
from ubersim.description.families import FARTHEST
from ubersim.description.fields import vector
from ubersim.joints.properties import RotaryMotor, RotaryMotor2, RotaryStops, RotaryStops2, independent


@component
class JointUniversal(RotaryStops2, RotaryMotor2, RotaryStops, RotaryMotor):
    """A universal (cardan) joint: lets the bodies turn about two axes, each with a motor and stops."""

    kind = "universal"

    axis1: Triple = vector("the axis that is fixed to body 1", direction=True, high=1e6)
    axis2: Triple = vector("the axis that is fixed to body 2", direction=True, high=1e6)
    anchor_pos: Triple = vector("the point where they meet", unit="m", high=FARTHEST)

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
