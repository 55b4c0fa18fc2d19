"""A bulb."""

from __future__ import annotations

from ubersim.description.base import FARTHEST, Light
from ubersim.description.component import component
from ubersim.description.fields import flag, number, vector
from ubersim.geometry import Triple
from ubersim.render.scene import PointSource


@component
class PointLight(Light):
    """A bulb, that shines in all directions."""

    position: Triple = vector("where it is", unit="m", high=FARTHEST)
    range: float = number(
        "distance at which half of its strength is left; far away it falls with the square",
        unit="m",
        low=1e-3,
        high=1e5,
        default=100.0,
    )
    casts_shadow: bool = flag("whether things throw a shadow in it", default=False)

    def sources(self) -> tuple[PointSource]:
        return (PointSource(self.position, self.strength, self.range, self.casts_shadow),)
