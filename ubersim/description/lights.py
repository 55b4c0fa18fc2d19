"""The lights of a world."""

from __future__ import annotations

from ubersim.description.component import component
from ubersim.description.families import FARTHEST, Light
from ubersim.description.fields import angle, flag, number, vector
from ubersim.pose import Triple


@component
class AmbientLight(Light):
    """Light from everywhere, that casts no shadow."""


@component
class DirectionalLight(Light):
    """Parallel light from far away, like the sun's."""

    direction: Triple = vector("where the light goes", direction=True, high=1e6)
    casts_shadow: bool = flag("whether things throw a shadow in it", default=True)


@component
class PointLight(Light):
    """A bulb, that shines in all directions."""

    position: Triple = vector("where it is", unit="m", high=FARTHEST)
    range: float = number(
        "distance at which its light has faded to nothing", unit="m", low=1e-3, high=1e5, default=100.0
    )
    casts_shadow: bool = flag("whether things throw a shadow in it", default=False)


@component
class SpotLight(Light):
    """A lamp, that shines in a cone."""

    position: Triple = vector("where it is", unit="m", high=FARTHEST)
    direction: Triple = vector("where the middle of the cone points", direction=True, high=1e6)
    cone: float = angle("from one edge of the cone to the other", low=1, high=170)
    range: float = number(
        "distance at which its light has faded to nothing", unit="m", low=1e-3, high=1e5, default=100.0
    )
    casts_shadow: bool = flag("whether things throw a shadow in it", default=True)
