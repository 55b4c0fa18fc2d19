"""A picture of a simulation as it is now: notebooks show it by themselves, programs save it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.png import encode_png
from ubersim.simulation.scene import scene_of
from ubersim.simulation.world_view import WorldView


@dataclass(frozen=True, eq=False)
class Still:
    """One picture."""

    pixels: NDArray[np.uint8]
    """Height, width, red green blue; top row first."""
    caption: str
    """Of whom, and when."""

    def _repr_png_(self) -> bytes:
        """What notebooks ask for."""
        return encode_png(self.pixels)

    def __repr__(self) -> str:
        height, width, _ = self.pixels.shape
        return f"<picture of {self.caption}, {width} x {height}>"

    def save(self, path: str | Path) -> None:
        """As a PNG file."""
        Path(path).write_bytes(encode_png(self.pixels))


def still_of(simulation: WorldView, *, width: int, height: int, azimuth: float, elevation: float) -> Still:
    """All bodies where they are, well in the picture; angles in degrees."""
    from ubersim.render.camera import LARGEST
    from ubersim.render.portrait import Portrait, portrait  # an extra

    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise UberSimError(f"a picture is 1 to {LARGEST} pixels wide and high, not {width} x {height}")
    if not (math.isfinite(azimuth) and math.isfinite(elevation)):
        raise UberSimError(f"azimuth and elevation are numbers of degrees, not {azimuth} and {elevation}")
    how = Portrait(width, height, math.radians(azimuth), math.radians(elevation), oversample=1)
    world = simulation.world
    pixels = portrait(scene_of(simulation), world.positions, world.rotations, how)
    names = ", ".join([*simulation.robots, *simulation.objects]) or "an empty world"
    return Still(pixels, f"{names} at {world.frame * world.step:.3f} s")
