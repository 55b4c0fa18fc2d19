"""A ring."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ubersim.description.base import FARTHEST, LARGEST, SMALLEST
from ubersim.description.component import component
from ubersim.description.fields import number, vector
from ubersim.description.markings import Marking, Strip
from ubersim.geometry import Triple

CHORD = math.radians(7.5)
"""What a straight piece of a circle spans: 48 of them make one."""


@component
class Circle(Marking):
    """A ring; its radius is that of the middle of the line."""

    position: Triple = vector("its middle", unit="m", high=FARTHEST)
    radius: float = number("of the middle of the line", unit="m", low=SMALLEST, high=LARGEST)

    def strips(self) -> Iterator[Strip]:
        x, y, z = self.position
        length = 2 * (self.radius + self.width / 2) * math.tan(CHORD / 2)
        for piece in range(round(math.tau / CHORD)):
            angle = piece * CHORD
            center = x + self.radius * math.cos(angle), y + self.radius * math.sin(angle), z
            yield Strip(center, length, self.width, angle + math.pi / 2)
