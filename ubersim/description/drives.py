"""The family of motion models: how a robot moves that has no joints and feels no forces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ubersim.description.base import FARTHEST
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.description.motors import ActuatorDescription
from ubersim.geometry import Triple


@component
class MotionDescription(ActuatorDescription, ABC, family="motions"):
    """Moves all bodies of its robot as one piece, level, as it is told; they push others, and nothing pushes them."""

    center: Triple = vector(
        "the point of model space whose speed is told, and about which it turns",
        unit="m",
        high=FARTHEST,
        default=(0.0, 0.0, 0.0),
    )

    @abstractmethod
    def build(self, chassis: Any) -> Any:
        """Its controller; `chassis` is what it moves."""
