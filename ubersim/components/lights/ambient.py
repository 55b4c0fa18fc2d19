"""Light from everywhere."""

from __future__ import annotations

from ubersim.description.base import Light
from ubersim.description.component import component


@component
class AmbientLight(Light):
    """Light from everywhere, that casts no shadow."""
