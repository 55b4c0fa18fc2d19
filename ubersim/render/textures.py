"""Picture files -> pixels for the card; the only place where drawing needs pillow."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import RenderError

LARGEST = 4096
"""Edge of a texture [px]; descriptions refuse larger ones by their headers."""
_BROKEN = np.full((1, 1, 3), 255, np.uint8)
"""What a file looks like that turns out to be damaged: as if there were none."""


def pixels(texture: str) -> NDArray[np.uint8]:
    """Red, green and blue of a PNG or JPEG file in base64, bottom row first, (height, width, 3)."""
    try:
        from PIL import Image
    except ImportError:
        raise RenderError("textures need the Python package pillow: pip install 'ubersim[camera]'") from None
    try:
        with Image.open(io.BytesIO(base64.b64decode(texture)), formats=("PNG", "JPEG")) as picture:
            if max(picture.size) > LARGEST:
                return _BROKEN
            return np.ascontiguousarray(np.asarray(picture.convert("RGB"))[::-1])
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return _BROKEN
