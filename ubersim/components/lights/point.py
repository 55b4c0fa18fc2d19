"""A bulb."""

from __future__ import annotations

from ubersim.components.lights.fields import half_strength_range, position
from ubersim.description.base import Light
from ubersim.description.component import component
from ubersim.description.fields import flag
from ubersim.geometry import Triple
from ubersim.render.scene import PointSource


@component
class PointLight(Light):
    """A bulb, that shines in all directions."""

    position: Triple = position()
    range: float = half_strength_range()
    casts_shadow: bool = flag("whether things throw a shadow in it", default=False)

    def sources(self) -> tuple[PointSource]:
        return (PointSource(self.position, self.strength, self.range, self.casts_shadow),)
