"""Light from everywhere."""

from __future__ import annotations

from ubersim.description.base import Light
from ubersim.description.component import component
from ubersim.geometry import Triple


@component
class AmbientLight(Light):
    """Light from everywhere, that casts no shadow."""

    def sources(self) -> tuple[()]:
        return ()

    def ambient(self) -> Triple:
        return self.strength
