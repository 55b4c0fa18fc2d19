"""Pictures of a demonstration for people: the robot's own views beside those of somebody who watches, and a film."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.png import from_bgra
from ubersim.render import Camera, InlineRenderer, Job
from ubersim.render.portrait import STUDIO_SKY
from ubersim.render.scene import DirectionalSource, Lights
from ubersim.simulation.scene import scene_of

if TYPE_CHECKING:
    from ubersim.simulation import Simulation
    from ubersim.simulation.robot import Robot

Picture = NDArray[np.uint8]
"""Rows, columns, red green blue."""

FILM_RATE = 10.0
"""Pictures per second of the film."""
FILM = Camera(width=400, height=300, fov=math.radians(38), near=0.1, far=200, samples=4, shadows=True)
VIEW = replace(FILM, width=480, height=360)
INSET = 3
"""The robot's own view in the film is so many times smaller than the film."""
LIGHT = Lights(
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
STANDPOINT = np.array([2.05, -2.05, 0.6])
"""Where somebody stands who watches, seen from what he looks at [m]: to its right, a little behind."""
GAZE = np.array([0.0, 0.45, 0.45])
"""What he looks at, seen from the ground below the robot [m]: ahead of it, where it looks, too."""
INERTIA = 0.93
"""How much of the last film picture's gaze the next one keeps, so that it follows calmly."""


@dataclass(frozen=True)
class FilmInstant:
    """Where everything was when the robot's camera took a picture."""

    time: float
    """[s]"""
    positions: Array
    rotations: Array
    ground: Array
    """The point of the ground below the robot [m]."""


class PictureAlbum:
    """Watches a robot during a simulation, and looks at it from outside when there is something to be seen."""

    def __init__(self, simulation: Simulation, body: str, camera: str, film: tuple[float, float]) -> None:
        """The film shows the robot from the one to the other time [s]."""
        self._simulation = simulation
        self._body, self._camera = body, camera
        self._film = film
        self._recent: deque[tuple[int, FilmInstant]] = deque(maxlen=round(1.0 / simulation.step_size))
        self._renderer: InlineRenderer | None = None
        self._gaze: Array | None = None
        self._own: Picture | None = None
        self.film: list[Picture] = []
        self.received: dict[int, FilmInstant] = {}
        """By second: when the first of the robot's own pictures that came in this second was taken."""

    def watch(self, robot: Robot) -> None:
        """To be called in every frame, after sensing."""
        simulation, channel = self._simulation, robot.sensors[self._camera]
        now = self._instant(robot)
        self._recent.append((simulation.frame, now))
        if any(name == self._camera for name, _ in robot.readings):
            taken = next(instant for frame, instant in self._recent if frame == channel.latest_frame)
            self.received.setdefault(math.floor(simulation.time + 1e-9), taken)
            self._own = from_bgra(np.asarray(channel.value(), dtype=np.uint8))
        start, end = self._film
        if start <= simulation.time <= end and len(self.film) <= (simulation.time - start) * FILM_RATE:
            self.film.append(self._film_picture(now))

    def outside(self, instant: FilmInstant) -> Picture:
        """What somebody saw from outside at an instant."""
        return self._draw(VIEW, instant, instant.ground + GAZE)

    def close(self) -> None:
        """Frees what drawing needed."""
        if self._renderer is not None:
            self._renderer.close()

    def _instant(self, robot: Robot) -> FilmInstant:
        world, (x, y, _) = self._simulation.world, robot.bodies[self._body].position
        ground = np.array([x, y, 0.0])
        return FilmInstant(self._simulation.time, world.positions.copy(), world.rotations.copy(), ground)

    def _film_picture(self, now: FilmInstant) -> Picture:
        gaze = now.ground + GAZE
        self._gaze = gaze if self._gaze is None else INERTIA * self._gaze + (1 - INERTIA) * gaze
        picture = self._draw(FILM, now, self._gaze)
        return picture if self._own is None else with_inset(picture, self._own)

    def _draw(self, camera: Camera, instant: FilmInstant, target: Array) -> Picture:
        if self._renderer is None:
            scene = replace(scene_of(self._simulation), lights=LIGHT, sky=STUDIO_SKY)
            self._renderer = InlineRenderer(scene)
        eye = target + STANDPOINT
        job = Job(camera, eye, looking_at(eye, target), instant.positions, instant.rotations)
        return from_bgra(np.asarray(self._renderer.collect(self._renderer.submit(job)), dtype=np.uint8))


def looking_at(eye: Array, target: Array) -> Array:
    """The rotation of a camera that looks from one point to another, upright."""
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.stack([right, forward, np.cross(right, forward)], axis=1)


def with_inset(picture: Picture, inset: Picture) -> Picture:
    """The picture with a small one, framed in white, in its lower right corner."""
    rows, columns = picture.shape[0] // INSET, picture.shape[1] // INSET
    small = inset[np.arange(rows) * inset.shape[0] // rows][:, np.arange(columns) * inset.shape[1] // columns]
    picture = picture.copy()
    picture[-rows - 12 : -8, -columns - 12 : -8] = 255
    picture[-rows - 10 : -10, -columns - 10 : -10] = small
    return picture


def load_png(file: Path) -> Picture:
    """A picture that was saved."""
    return np.asarray(_pillow().open(file).convert("RGB"))


def _pillow() -> ModuleType:
    try:
        from PIL import Image
    except ImportError:
        raise UberSimError("pictures and films need Pillow: pip install 'ubersim[film]'") from None
    return Image


def save_film(pictures: Sequence[Picture], file: Path) -> Path:
    """An endless GIF. One palette serves all pictures, so that what stands still does not flicker, and is small."""
    image = _pillow()
    some = np.concatenate(pictures[:: max(1, len(pictures) // 8)])
    palette = image.fromarray(some).quantize(256, method=image.Quantize.MAXCOVERAGE)
    images = [image.fromarray(picture).quantize(palette=palette, dither=image.Dither.NONE) for picture in pictures]
    images[0].save(file, save_all=True, append_images=images[1:], duration=1000 / FILM_RATE, loop=0, optimize=False)
    return file
