"""Cameras' pictures as files, PNG or JPEG, and back; by Pillow."""

from __future__ import annotations

import io
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError

PictureFormat = Literal["png", "jpeg"]
JPEG_QUALITY = 90
PNG_EFFORT = 1
"""Of zlib: more effort takes several times as long for a few percent."""
LARGEST = 4096 * 4096
"""Pixels of a picture that is read."""


def encode_picture(bgra: NDArray[np.uint8], form: PictureFormat) -> bytes:
    """The bytes of a file of a picture (height, width, 4), blue first; there is no alpha in it."""
    image, file = _pillow().fromarray(np.ascontiguousarray(bgra[..., 2::-1])), io.BytesIO()
    if form == "png":
        image.save(file, "PNG", compress_level=PNG_EFFORT)
    else:
        image.save(file, "JPEG", quality=JPEG_QUALITY)
    return file.getvalue()


def decode_picture(data: bytes) -> NDArray[np.uint8]:
    """The picture in a file, (height, width, 4), blue first; alpha is 255."""
    try:
        with _pillow().open(io.BytesIO(data), formats=("PNG", "JPEG")) as image:
            if image.width * image.height > LARGEST:
                raise ValueError(f"a picture of {image.width} x {image.height} is too large")
            rgb = np.asarray(image.convert("RGB"))
    except (OSError, SyntaxError, ValueError) as error:
        raise ValueError(f"a picture of {len(data)} bytes cannot be read: {error}") from None
    bgra = np.full((*rgb.shape[:2], 4), 255, np.uint8)
    bgra[..., :3] = rgb[..., ::-1]
    return bgra


def check_pillow() -> None:
    """Refuses to go on without what compresses pictures."""
    _pillow()


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise UberSimError("pictures as files need Pillow: pip install 'ubersim[camera]'") from None
    return Image
