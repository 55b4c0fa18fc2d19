"""Markings: what is painted on the ground, such as the lines of a field; seen by cameras, and never touched."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

from ubersim.description.component import Component, Flaw, component
from ubersim.description.families import FARTHEST, LARGEST, SMALLEST
from ubersim.description.fields import color, number, vector
from ubersim.pose import Triple

CHORD = math.radians(7.5)
"""What a straight piece of a circle spans: 48 of them make one."""


class Strip(NamedTuple):
    """A level rectangle of paint."""

    center: Triple
    """[m]"""
    length: float
    """[m]"""
    width: float
    """[m]"""
    heading: float
    """From +x to its length, counterclockwise [rad]."""


@component
class Marking(Component, ABC, family="markings"):
    """Paint on a level surface."""

    width: float = number("of the line", unit="m", low=SMALLEST, high=LARGEST, default=0.05)
    color: Triple = color("of the paint", default=(0.95, 0.95, 0.95))

    @abstractmethod
    def strips(self) -> Iterator[Strip]:
        """The rectangles that it is painted with."""


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
            yield Strip((x + side * right, y, z), self.width, self.y_size - 2 * self.width, 0.0)


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
