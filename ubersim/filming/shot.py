"""One stretch of a film: a scene, a camera, where everything was in some frames. It travels to where it is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import Triple
from ubersim.png import encode_png, from_bgra
from ubersim.render import Camera, InlineRenderer, Job, Motion, Scene
from ubersim.render.scene import DirectionalSource, Light, Lights
from ubersim.sweeps.guard import guarded
from ubersim.timing.latency import generator

Array = NDArray[np.float64]
LIMIT = 600.0
"""Real time that a shot may take [s]."""


@dataclass(frozen=True)
class CameraView:
    """Where the camera and all bodies were in one frame."""

    frame: int
    position: Array
    """Of the camera [m]."""
    rotation: Array
    """Of the camera's axes (right, optical axis, up)."""
    positions: Array
    """Of the bodies [m]."""
    rotations: Array
    colors: tuple[tuple[int, Triple], ...] = ()
    """Of those shapes of the scene, by place, whose colours are ever commanded."""
    lamps: tuple[tuple[int, Light], ...] = ()
    """The same of what shines, as it shone."""
    motion: Motion | None = None
    """How everything moved, for a robot's own camera."""


@dataclass(frozen=True)
class Shot:
    """Some frames of a film."""

    scene: Scene
    camera: Camera
    views: tuple[CameraView, ...]
    light_seed: int | None = None
    """Every picture has a light of its own, drawn from this seed; None: the world's light."""
    segmented: bool = False
    """Whether there is a picture of object numbers beside each."""


@dataclass(frozen=True)
class DrawnPicture:
    """A picture."""

    frame: int
    png: bytes
    objects: NDArray[np.uint16] | None
    """The number of the object in each pixel."""


def draw(shot: Shot) -> list[DrawnPicture]:
    """All pictures of a shot, in a process of its own: a driver that crashes takes nothing else with it."""
    drawn: list[DrawnPicture] = guarded(draw_here, shot, limit=LIMIT)
    return drawn


def draw_here(shot: Shot) -> list[DrawnPicture]:
    """The same in this process."""
    drawn = []
    with InlineRenderer(shot.scene) as renderer:
        shown: tuple[Any, Any] = (), ()
        for view in shot.views:
            if shot.light_seed is not None or (view.colors, view.lamps) != shown:
                renderer.set_scene(_scene(shot, view))
                shown = view.colors, view.lamps
            picture = _picture(renderer, shot, view)
            drawn.append(DrawnPicture(view.frame, encode_png(picture), _objects(renderer, shot, view)))
    return drawn


def _scene(shot: Shot, view: CameraView) -> Scene:
    """With the colours and the light of one frame."""
    shapes = list(shot.scene.shapes)
    for place, color in view.colors:
        shapes[place] = replace(shapes[place], color=color)
    sources = list(shot.scene.lights.sources)
    for place, light in view.lamps:
        sources[place] = light
    lights = replace(shot.scene.lights, sources=tuple(sources))
    if shot.light_seed is not None:
        lights = random_light(shot.light_seed, view.frame)
    return replace(shot.scene, shapes=tuple(shapes), lights=lights)


def _picture(renderer: InlineRenderer, shot: Shot, view: CameraView) -> NDArray[np.uint8]:
    where = view.position, view.rotation, view.positions, view.rotations
    job = Job(shot.camera, *where, frame=view.frame, motion=view.motion)
    return from_bgra(np.asarray(renderer.collect(renderer.submit(job)), dtype=np.uint8))


def _objects(renderer: InlineRenderer, shot: Shot, view: CameraView) -> NDArray[np.uint16] | None:
    if not shot.segmented:
        return None
    camera = replace(shot.camera, samples=1, shadows=False, noise=0.0)
    job = Job(camera, view.position, view.rotation, view.positions, view.rotations, "segmentation", view.frame)
    return np.asarray(renderer.collect(renderer.submit(job)), dtype=np.uint16).copy()


def random_light(seed: int, frame: int) -> Lights:
    """A sun from anywhere above, of about white, brighter or darker; the same for the same seed and frame."""
    rng = generator(seed, "light", str(frame))
    azimuth, height = rng.uniform(0.0, 2 * np.pi), rng.uniform(0.3, 1.5)
    strength = rng.uniform(0.4, 1.1) * rng.uniform(0.85, 1.0, 3)
    ambient = rng.uniform(0.15, 0.5) * rng.uniform(0.9, 1.0, 3)
    sun = DirectionalSource((float(np.cos(azimuth)), float(np.sin(azimuth)), -float(height)), _color(strength))
    return Lights((sun,), above=_color(ambient), below=_color(0.6 * ambient))


def _color(values: Array) -> tuple[float, float, float]:
    r, g, b = (float(value) for value in values)
    return r, g, b
