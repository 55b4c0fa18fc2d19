"""Pictures for people: a three-quarter view that frames what moves, in good light."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ubersim.png import from_bgra
from ubersim.render.camera import Camera
from ubersim.render.inline import InlineRenderer
from ubersim.render.instances import Instances
from ubersim.render.jobs import Job
from ubersim.render.scene import DirectionalSource, Lights, Scene, Sky

Array = NDArray[np.float64]

KEY = (0.30, 0.285, 0.255)
SOFT_LIGHT = Lights(
    sources=(
        DirectionalSource((-0.84, -0.44, -1.0), KEY),
        DirectionalSource((-0.90, -0.38, -1.0), KEY),
        DirectionalSource((-0.78, -0.39, -1.0), KEY),
        DirectionalSource((0.04, -0.06, -1.0), (0.17, 0.18, 0.20)),
        DirectionalSource((0.85, -0.75, -0.40), (0.15, 0.18, 0.22), shadow=False),
    ),
    above=(0.20, 0.22, 0.26),
    below=(0.17, 0.16, 0.15),
    gloss=0.25,
    shadow_size=1536,
    shadow_softness=2,
)
"""A warm key light, three times side by side, so that shadows soften with distance; the sky, which darkens what stands
close to the ground; and a faint cool light from the other side."""

STUDIO_SKY = Sky(zenith=(0.30, 0.52, 0.82), horizon=(0.93, 0.945, 0.96))


@dataclass(frozen=True)
class Portrait:
    """How the picture is taken."""

    width: int = 1280
    """Columns [px]."""
    height: int = 960
    """Rows [px]."""
    azimuth: float = math.radians(33.0)
    """Where the viewer stands: from straight ahead (+y) towards the right (+x) [rad]."""
    elevation: float = math.radians(12.0)
    """How far the viewer looks down [rad]."""
    fov: float = math.radians(36.0)
    """Horizontal field of view; small ones flatter [rad]."""
    fill: float = 0.76
    """How much of the picture's width or height the subject takes, whichever it fills first [0..1]."""
    oversample: int = 2
    """Rows and columns drawn for each one kept, on top of four samples each."""
    light: Lights | None = SOFT_LIGHT
    """The light; None: the scene's own."""


def portrait(scene: Scene, positions: Array, rotations: Array, how: Portrait | None = None) -> NDArray[np.uint8]:
    """A picture (height, width, 3), red first, of the bodies at their poses; of everything, if there are none."""
    how = how or Portrait()
    camera, position, rotation = viewer(how, subject(scene, positions, rotations), scene)
    dressed = scene if how.light is None else replace(scene, lights=how.light, sky=STUDIO_SKY)
    with InlineRenderer(dressed) as renderer:
        job = Job(camera, position, rotation, np.asarray(positions, float), np.asarray(rotations, float))
        large = from_bgra(renderer.collect(renderer.submit(job)).astype(np.uint8, copy=False))
    step = camera.width // how.width
    blocks = large.reshape(how.height, step, how.width, step, 3)
    return np.asarray(np.round(blocks.mean(axis=(1, 3))), dtype=np.uint8)


def subject(scene: Scene, positions: Array, rotations: Array) -> Array:
    """Corners of boxes around everything that moves; around everything, if nothing does; in the world [m], (C, 3)."""
    instances = Instances(scene)
    instances.place(np.asarray(positions, float), np.asarray(rotations, float))
    moving = ~instances.fixed
    corners = instances.corners()[moving if moving.any() else slice(None)].reshape(-1, 3)
    return corners if len(corners) else np.array([[-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]])


def viewer(how: Portrait, corners: Array, scene: Scene) -> tuple[Camera, Array, Array]:
    """The camera that frames the corners, its position and rotation."""
    forward = -np.array(
        [
            math.sin(how.azimuth) * math.cos(how.elevation),
            math.cos(how.azimuth) * math.cos(how.elevation),
            math.sin(how.elevation),
        ]
    )
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, forward, np.cross(right, forward)], axis=1)
    seen = corners @ rotation
    middle = (seen.min(axis=0) + seen.max(axis=0)) / 2
    radius = float(np.linalg.norm(seen - middle, axis=1).max())
    away = seen - middle
    edge = how.fill * math.tan(how.fov / 2) * np.array([1.0, how.height / how.width])
    distance = float((np.abs(away[:, [0, 2]]) / edge - away[:, 1:2]).max())
    position = rotation @ (middle - [0.0, distance, 0.0])
    if scene.ground is not None:
        position[2] = max(position[2], scene.ground.height + 0.05 * distance)
    scale = max(1, min(how.oversample, 4096 // max(how.width, how.height)))
    camera = Camera(
        width=how.width * scale,
        height=how.height * scale,
        fov=how.fov,
        near=0.02 * distance,
        far=distance + 500 * max(radius, 0.2),
        samples=4,
        shadows=True,
    )
    return camera, position, rotation
