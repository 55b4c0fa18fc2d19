"""Colours of mesh files as a screen shows them, which is what documents hold."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.description.texture import picture_text
from ubersim.geometry import Array

LARGEST_TEXTURE = 1024
"""Edge that pictures are made smaller to [px]."""
FEW_COLORS = 256
"""A picture of no more is a palette or a chart: JPEG would mix what lies side by side."""


def as_shown(linear: NDArray[np.uint8] | Array) -> NDArray[np.uint8]:
    """Colours of glTF, which are amounts of light [0 to 255], by the curve of sRGB [0 to 255]."""
    light = np.asarray(linear, dtype=float) / 255
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * curve).astype(np.uint8)


def material_factor(material: Any) -> Array:
    """The colour of a material of glTF, an amount of light [0 to 255]; white if it does not say."""
    given = getattr(material, "baseColorFactor", None)
    return np.full(3, 255.0) if given is None else np.asarray(given, dtype=float)[:3]


def of_triangles(corners: NDArray[np.uint8], triangles: NDArray[np.int64]) -> NDArray[np.uint8] | None:
    """The colour of each triangle whose corners have these, if each is of one colour; else None."""
    found = corners[triangles]
    return found[:, 0] if (found == found[:, :1]).all() else None


def texture(image: Any, factor: Array | None) -> str:
    """The picture as a file, times a colour of glTF, no larger than it looks."""
    picture = image.convert("RGB")
    if factor is not None and factor.min() < 255:
        # The curve is nearly a power, so that a product of light is one of what is shown.
        steps = np.outer(as_shown(factor) / 255, np.arange(256))
        picture = picture.point(np.round(steps).astype(int).ravel().tolist())
    picture.thumbnail((LARGEST_TEXTURE, LARGEST_TEXTURE))
    file = io.BytesIO()
    if picture.getcolors(FEW_COLORS) is None:
        picture.save(file, "JPEG", quality=88)
    else:
        picture.save(file, "PNG")
    return picture_text(file.getvalue())
