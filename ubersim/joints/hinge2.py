"""The joint of a steered wheel."""

from collections.abc import Iterator

from ubersim.description.component import Flaw, component
from ubersim.description.compounds import Triple
from ubersim.description.families import FARTHEST
from ubersim.description.fields import vector
from ubersim.joints.properties import RotaryMotor, RotaryMotor2, RotaryStops, Suspension, independent


@component
class JointHinge2(Suspension, RotaryMotor2, RotaryStops, RotaryMotor):
    """A steered, sprung wheel: body 1 is the vehicle, body 2 the wheel; without stops the steering is free."""

    kind = "hinge2"
    alone = False

    axis1: Triple = vector("the steering axis, fixed to body 1", direction=True, high=1e6)
    axis2: Triple = vector("the wheel's axle, fixed to body 2", direction=True, high=1e6)
    anchor_pos: Triple = vector("the wheel's centre", unit="m", high=FARTHEST)

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
