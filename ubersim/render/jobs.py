"""One picture to be made, and the interface of what makes it: inline.py in this process, workers.py in others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ubersim.render.camera import Camera, Output
from ubersim.render.pixel_formats import picture_shape
from ubersim.render.scene import Scene

T = TypeVar("T")
Array = NDArray[np.float64]
Picture = NDArray[np.uint8] | NDArray[np.float32] | NDArray[np.uint16]

TYPES: dict[Output, type[np.generic]] = {"image": np.uint8, "depth": np.float32, "segmentation": np.uint16}


@dataclass(frozen=True, eq=False)
class Motion:
    """How everything moves at the instant of a picture, for cameras whose shutter is open for a while."""

    linear_velocities: Array
    """Of the bodies' origins [m/s], (N, 3)."""
    angular_velocities: Array
    """Of the bodies, in the world's axes [rad/s], (N, 3)."""
    carrier: int = -1
    """Row of the body that carries the camera; -1: the camera is at rest."""


@dataclass(frozen=True, eq=False)
class Job:
    """A camera, where it is, and where all bodies are at that instant. Arrays are copied when the job is submitted."""

    camera: Camera
    """What takes the picture."""
    position: Array
    """The camera's place in the world [m], (3,)."""
    rotation: Array
    """Turns the camera's axes (right, optical axis, up) into the world's, (3, 3)."""
    positions: Array
    """Where the bodies are [m], (N, 3); shapes name their rows."""
    rotations: Array
    """How the bodies are turned, (N, 3, 3)."""
    output: Output = "image"
    """Image: bytes in the camera's format; depth: metres as float32; segmentation: object ids as uint16."""
    frame: int = 0
    """Number of the picture: with the camera's seed it determines the noise."""
    motion: Motion | None = None
    """What the camera's shutter blurs and shears an image by; None: everything is at rest."""

    @property
    def motion_seen(self) -> Motion | None:
        """What the picture shows of it: only in images, and only if the shutter is open for a while."""
        return self.motion if self.output == "image" and self.camera.shutter.duration else None


def shape_of(camera: Camera, output: Output) -> tuple[int, ...]:
    """Shape of the array that a picture is."""
    return picture_shape(camera.height, camera.width, camera.form if output == "image" else "grey")


def blank(camera: Camera, output: Output) -> Picture:
    """An array for a picture."""
    return np.empty(shape_of(camera, output), TYPES[output])


def copied(picture: Picture, out: Picture | None = None) -> Picture:
    """A copy, in `out` if given."""
    if out is None:
        return picture.copy()
    out[...] = picture
    return out


class PictureMaker(Protocol):
    """Takes jobs and gives pictures, the same bytes from every implementation."""

    def set_scene(self, scene: Scene) -> None:
        """What jobs submitted from now on show."""

    def submit(self, job: Job) -> int:
        """Accepts a job; the ticket fetches its picture."""

    def collect(self, ticket: int, out: Picture | None = None) -> Picture:
        """Waits for the picture, writes it to `out` if given, and forgets the ticket. Top row first."""

    def fetch(self, ticket: int, read: Callable[[Picture], T]) -> T:
        """Waits for the picture, has it read where it lies, which is not for keeping, and forgets the ticket."""

    def discard(self, ticket: int) -> None:
        """Forgets a ticket whose picture is not wanted any more."""

    def close(self) -> None:
        """Frees everything."""
