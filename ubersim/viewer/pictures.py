"""Readings of cameras as pictures in red, green and blue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.render.pixel_formats import to_rgb


def picture(reading: Any, about: Mapping[str, Any]) -> NDArray[np.uint8] | None:
    """A camera's reading in red, green and blue; None if it is no picture."""
    width, height, output = about.get("width"), about.get("height"), about.get("output")
    if output is None or width is None or height is None:
        return None
    values = np.asarray(reading)
    form = about.get("format", "bgra")
    if values.shape[:2] != (height, width):
        return None
    if output == "image":
        return to_rgb(values, form)
    if output == "depth":
        return _shades(values)
    return _hues(values)


def _shades(distances: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Near is bright."""
    seen = distances[np.isfinite(distances) & (distances > 0)]
    near, far = (seen.min(), seen.max()) if len(seen) else (0.0, 1.0)
    share = np.clip((far - distances) / max(far - near, 1e-9), 0.0, 1.0)
    grey = (255 * np.nan_to_num(share)).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def _hues(numbers: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Each number has a colour of its own; nothing is black."""
    mixed = numbers.astype(np.uint32)[..., None] * np.array([97, 57, 151], np.uint32) % 200 + 55
    return np.where(numbers[..., None] > 0, mixed, 0).astype(np.uint8)
