"""A light far away, such as the sun."""

from __future__ import annotations

from ubersim.description.base import Light
from ubersim.description.component import component
from ubersim.description.fields import flag, vector
from ubersim.geometry import Triple
from ubersim.render.scene import DirectionalSource


@component
class DirectionalLight(Light):
    """Parallel light from far away, like the sun's."""

    direction: Triple = vector("where the light goes", direction=True, high=1e6)
    casts_shadow: bool = flag("whether things throw a shadow in it", default=True)

    def sources(self) -> tuple[DirectionalSource]:
        return (DirectionalSource(self.direction, self.strength, self.casts_shadow),)
