"""A lamp with a cone."""

from __future__ import annotations

from ubersim.description.base import FARTHEST, Light
from ubersim.description.component import component
from ubersim.description.fields import angle, flag, number, vector
from ubersim.geometry import Triple
from ubersim.render.scene import SpotSource


@component
class SpotLight(Light):
    """A lamp, that shines in a cone."""

    position: Triple = vector("where it is", unit="m", high=FARTHEST)
    direction: Triple = vector("where the middle of the cone points", direction=True, high=1e6)
    cone: float = angle("from one edge of the cone to the other", low=1, high=170)
    range: float = number(
        "distance at which half of its strength is left; far away it falls with the square",
        unit="m",
        low=1e-3,
        high=1e5,
        default=100.0,
    )
    casts_shadow: bool = flag("whether things throw a shadow in it", default=True)

    def sources(self) -> tuple[SpotSource]:
        return (
            SpotSource(
                self.position, self.direction, self.strength, self.range, self.cone / 2, shadow=self.casts_shadow
            ),
        )
