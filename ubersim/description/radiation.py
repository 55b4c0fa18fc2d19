"""Classes of radiation beside visible light, such as infrared: how materials look to cameras that measure them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MOST_CLASSES = 16
GLARING = 100.0
"""Most that may come from everywhere, in terms of what shows a material as it is."""


@dataclass(frozen=True, kw_only=True)
class RadiationClass:
    """One class of radiation; there are no colours in it, but one intensity."""

    ambient: float = 0.2
    """What comes from everywhere; 1 shows what a material reflects as it is [1]."""
    sky: float = 0.0
    """How bright the sky is [0..1]."""
    default: float = 0.5
    """What materials reflect that are not listed [0..1]."""
    reflects: Mapping[str, float] = field(default_factory=dict)
    """What materials reflect [0..1], by name."""
    emits: Mapping[str, float] = field(default_factory=dict)
    """What materials emit by themselves [0..1], by name."""

    def of(self, material: str) -> tuple[float, float]:
        """What a material reflects, and what it emits."""
        return self.reflects.get(material, self.default), self.emits.get(material, 0.0)


LIMITS: Mapping[str, tuple[float, float]] = {"ambient": (0.0, GLARING), "sky": (0.0, 1.0), "default": (0.0, 1.0)}
"""Smallest and largest value of the numbers of a class."""
LISTS = ("reflects", "emits")
"""What has a number from 0 to 1 for each material."""
