"""What all markings share: they are painted with strips."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

from ubersim.description.base import LARGEST, SMALLEST
from ubersim.description.component import Component, component
from ubersim.description.fields import color, material, number
from ubersim.geometry import Triple


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
    material: str = material(
        "what other radiation than visible light takes it for; nothing touches it", default="Paint"
    )

    @abstractmethod
    def strips(self) -> Iterator[Strip]:
        """The rectangles that it is painted with."""
