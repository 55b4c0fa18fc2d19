"""A lamp with a cone."""

from __future__ import annotations

from ubersim.components.lights.fields import half_strength_range, position
from ubersim.description.base import Light
from ubersim.description.component import component
from ubersim.description.fields import angle, flag, vector
from ubersim.geometry import Triple
from ubersim.render.scene import SpotSource


@component
class SpotLight(Light):
    """A lamp, that shines in a cone."""

    position: Triple = position()
    direction: Triple = vector("where the middle of the cone points", direction=True, high=1e6)
    cone: float = angle("from one edge of the cone to the other", low=1, high=170)
    range: float = half_strength_range()
    casts_shadow: bool = flag("whether things throw a shadow in it", default=True)

    def sources(self) -> tuple[SpotSource]:
        return (
            SpotSource(
                self.position, self.direction, self.strength, self.range, self.cone / 2, shadow=self.casts_shadow
            ),
        )
