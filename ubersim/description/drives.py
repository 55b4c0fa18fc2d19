"""The family of motion models: how a robot moves that feels no forces."""

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
    """Moves its robot's first body, and all that no joint holds, as one piece, as it is told.

    They push what gives way, stop at what does not, and nothing pushes them.
    """

    center: Triple = vector(
        "the point of model space whose speed is told, and about which it turns",
        unit="m",
        high=FARTHEST,
        default=(0.0, 0.0, 0.0),
    )

    @abstractmethod
    def build(self, chassis: Any) -> Any:
        """Its controller; `chassis` is what it moves."""
