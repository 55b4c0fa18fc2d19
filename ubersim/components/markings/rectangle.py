"""The outline of a rectangle."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ubersim.description.base import FARTHEST, LARGEST, SMALLEST
from ubersim.description.component import component
from ubersim.description.fields import number, vector
from ubersim.description.markings import Marking, Strip
from ubersim.geometry import Triple


@component
class Rectangle(Marking):
    """The four lines of a rectangle along x and y; its size is measured from outside to outside."""

    position: Triple = vector("its middle", unit="m", high=FARTHEST)
    x_size: float = number("extent along x", unit="m", low=SMALLEST, high=LARGEST)
    y_size: float = number("extent along y", unit="m", low=SMALLEST, high=LARGEST)

    def strips(self) -> Iterator[Strip]:
        x, y, z = self.position
        right, ahead = (self.x_size - self.width) / 2, (self.y_size - self.width) / 2
        for side in (-1, 1):
            yield Strip((x, y + side * ahead, z), self.x_size, self.width, 0.0)
            yield Strip((x + side * right, y, z), self.y_size - 2 * self.width, self.width, math.pi / 2)
