"""An angular motor."""

from collections.abc import Iterator

from ubersim.components.joints.properties import RotaryMotor, RotaryMotor2, RotaryMotor3, independent
from ubersim.description.base import FARTHEST
from ubersim.description.component import Flaw, component
from ubersim.description.fields import vector
from ubersim.geometry import Triple
from ubersim.protocol.properties import NEXT_AXIS


@component
class JointAMotor(RotaryMotor3, RotaryMotor2, RotaryMotor):
    """Drives the angular velocity between two bodies about one to three axes; holds nothing."""

    kind = "amotor"
    holds_a_point = False

    axis1: Triple = vector("the first axis, fixed to body 1", direction=True, high=1e6)
    axis2: Triple | None = vector("the second axis, fixed to body 1", direction=True, high=1e6, default=None)
    axis3: Triple | None = vector("the third axis, fixed to body 1", direction=True, high=1e6, default=None)
    anchor_pos: Triple | None = vector(
        "where it is; it holds no point, this is for the reader", unit="m", high=FARTHEST, default=None
    )

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if self.axis3 is not None and self.axis2 is None:
            yield Flaw("Axis3 needs Axis2", "axis3")
        elif not independent(self.axes):
            yield Flaw("the axes are parallel, or all in one plane")
        for index in self.initial:
            if (axis := index // NEXT_AXIS) >= len(self.axes):
                field = next(entry for entry in self.entries() if entry.index == index)
                yield Flaw(f"there is no Axis{axis + 1} for it", field.attribute)
