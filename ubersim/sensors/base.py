"""What all sensors share: where they sit, and what their devices can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ubersim.description.families import SensorDescription as SensorDescription
from ubersim.pose import Pose

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.world import Body


class Renderer(Protocol):
    """What makes pictures of the world."""

    def camera(self, description: Any, mount: Mount, rng: np.random.Generator) -> Any:
        """The device of a camera: a reader with `sample() -> bytes` and `set(property, value)`, as of any sensor."""


@dataclass(frozen=True)
class Mount:
    """Where a sensor sits."""

    body: Body
    """The body that carries it."""
    pose: Pose
    """Its own frame, seen from the body's, whose origin is the centre of mass and whose axes are the model's."""
    renderer: Renderer | None = None
    """What makes pictures of the world that the body is in; None where nothing does."""
