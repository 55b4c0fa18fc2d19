"""The world of a demonstration as a bystander sees it, in good light."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ubersim.geometry import Array
from ubersim.png import from_bgra
from ubersim.render import Camera, InlineRenderer, Job
from ubersim.render.portrait import STUDIO_SKY
from ubersim.render.scene import DirectionalSource, Lights
from ubersim.simulation.scene import scene_of

if TYPE_CHECKING:
    from ubersim.demos.pictures import Picture
    from ubersim.simulation import Simulation

LIGHTS = Lights(
    sources=(
        DirectionalSource((-0.84, -0.44, -1.0), (0.85, 0.82, 0.75)),
        DirectionalSource((0.85, 0.75, -0.40), (0.25, 0.27, 0.30), shadow=False),
    ),
    above=(0.30, 0.33, 0.38),
    below=(0.20, 0.19, 0.18),
    gloss=0.2,
    shadow_softness=1,
    shadow_reach=8.0,
)
"""A sun, and a faint light from the other side: one shadow is quicker than a portrait's four."""


@dataclass(frozen=True)
class WorldInstant:
    """Where everything was in one frame."""

    time: float
    """[s]"""
    positions: Array
    rotations: Array
    ground: Array
    """The point of the ground below the robot [m]."""

    @staticmethod
    def of(simulation: Simulation, robot: str) -> WorldInstant:
        """The present; what is kept of it does not change any more."""
        x, y, _ = simulation.body(robot).position
        world = simulation.world
        return WorldInstant(simulation.time, world.positions.copy(), world.rotations.copy(), np.array([x, y, 0.0]))


class OutsideView:
    """Draws instants of a simulation from a point beside what is looked at."""

    def __init__(self, simulation: Simulation, offset: Array) -> None:
        """`offset`: from what is looked at to the camera [m]."""
        self._simulation = simulation
        self._offset = offset
        self._renderer: InlineRenderer | None = None

    def draw(self, camera: Camera, instant: WorldInstant, target: Array) -> Picture:
        """What is seen when the camera looks at the target [m]."""
        if self._renderer is None:  # the robot has to be there
            self._renderer = InlineRenderer(replace(scene_of(self._simulation), lights=LIGHTS, sky=STUDIO_SKY))
        eye = target + self._offset
        job = Job(camera, eye, looking_at(eye, target), instant.positions, instant.rotations)
        return from_bgra(np.asarray(self._renderer.collect(self._renderer.submit(job)), dtype=np.uint8))

    def close(self) -> None:
        """Frees what drawing needed."""
        if self._renderer is not None:
            self._renderer.close()


def looking_at(eye: Array, target: Array) -> Array:
    """The rotation of a camera that looks from one point to another, upright."""
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.stack([right, forward, np.cross(right, forward)], axis=1)
