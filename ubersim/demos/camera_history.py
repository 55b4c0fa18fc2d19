"""When the pictures that a robot's program receives were taken, and where everything was then."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from ubersim.components.sensors.camera import CameraSensor
from ubersim.demos.outside_view import WorldInstant
from ubersim.render.pixel_formats import to_rgb

if TYPE_CHECKING:
    from ubersim.demos.pictures import Picture
    from ubersim.simulation import Simulation

LONGEST_LATENCY = 1.0
"""Of the cameras whose pictures can be traced back [s]."""


class CameraHistory:
    """Follows one camera of a robot. Its pictures come with a latency, so that they show the world as it was."""

    def __init__(self, simulation: Simulation, camera: str) -> None:
        self._simulation, self._camera = simulation, camera
        self._recent: deque[tuple[int, WorldInstant]] = deque(maxlen=round(LONGEST_LATENCY / simulation.step_size))
        self.newest: Picture | None = None
        """The picture that was delivered last."""
        self.taken: dict[int, WorldInstant] = {}
        """By second: the instant that the first picture shows that was delivered in that second."""

    def update(self, robot: str) -> None:
        """To be called in every frame, after sensing."""
        simulation, sensed = self._simulation, self._simulation.robots[robot]
        self._recent.append((simulation.frame, WorldInstant.of(simulation, robot)))
        if any(name == self._camera for name, _ in sensed.readings):
            channel = sensed.sensors[self._camera]
            taken = next(instant for frame, instant in self._recent if frame == channel.latest_frame)
            self.taken.setdefault(math.floor(simulation.time + 1e-9), taken)
            camera = channel.description
            assert isinstance(camera, CameraSensor)
            self.newest = to_rgb(np.asarray(channel.value(), dtype=np.uint8), camera.format)
