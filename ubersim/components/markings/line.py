"""A straight line."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ubersim.description.base import FARTHEST
from ubersim.description.component import Flaw, component
from ubersim.description.fields import vector
from ubersim.description.markings import Marking, Strip
from ubersim.geometry import Triple


@component
class Line(Marking):
    """A straight line; its ends are square."""

    start: Triple = vector("the middle of one end", tag="From", unit="m", high=FARTHEST)
    end: Triple = vector("the middle of the other end", tag="To", unit="m", high=FARTHEST)

    def flaws(self) -> Iterator[Flaw]:
        if self.start[2] != self.end[2]:
            yield Flaw("lies higher or lower than From; markings are level", "end")

    def strips(self) -> Iterator[Strip]:
        (x1, y1, z), (x2, y2, _) = self.start, self.end
        center = (x1 + x2) / 2, (y1 + y2) / 2, z
        yield Strip(center, math.hypot(x2 - x1, y2 - y1), self.width, math.atan2(y2 - y1, x2 - x1))
