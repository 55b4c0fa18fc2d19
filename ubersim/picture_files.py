"""Cameras' pictures as files, and back: PNG or JPEG, by Pillow, or their very bytes in an LZ4 frame."""

from __future__ import annotations

import io
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError

PictureFormat = Literal["png", "jpeg", "lz4"]
JPEG_QUALITY = 90
PNG_EFFORT = 1
"""Of zlib: more effort takes several times as long for a few percent."""
LARGEST = 4096 * 4096
"""Pixels of a picture that is read."""


def encode_picture(bgra: NDArray[np.uint8], form: PictureFormat) -> bytes:
    """The bytes of a file of a picture (height, width, 4), blue first; PNG and JPEG have no alpha."""
    if form == "lz4":
        packed: bytes = _lz4().compress(np.ascontiguousarray(bgra).data)
        return packed
    image, file = _pillow().fromarray(np.ascontiguousarray(bgra[..., 2::-1])), io.BytesIO()
    if form == "png":
        image.save(file, "PNG", compress_level=PNG_EFFORT)
    else:
        image.save(file, "JPEG", quality=JPEG_QUALITY)
    return file.getvalue()


def decode_picture(data: bytes, form: PictureFormat, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """The picture (height, width, 4) in a file, blue first; without an alpha of its own, that is 255.

    `shape` is its height and width, which only LZ4 does not have in the file.
    """
    return _unpacked(data, shape) if form == "lz4" else _decoded(data)


def _unpacked(data: bytes, shape: tuple[int, int]) -> NDArray[np.uint8]:
    height, width = shape
    size, frame = 4 * height * width, _lz4()
    try:
        pixels = frame.LZ4FrameDecompressor().decompress(data, max_length=size + 1)
    except RuntimeError as error:
        raise ValueError(f"a picture of {len(data)} bytes cannot be unpacked: {error}") from None
    if len(pixels) != size:
        raise ValueError(f"a picture of {len(data)} bytes does not unpack to {size}")
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 4)


def _decoded(data: bytes) -> NDArray[np.uint8]:
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


def check_format(form: PictureFormat) -> None:
    """Refuses to go on without what compresses such pictures."""
    _lz4() if form == "lz4" else _pillow()


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise UberSimError("pictures as files need Pillow: pip install 'ubersim[camera]'") from None
    return Image


def _lz4() -> Any:
    try:
        from lz4 import frame
    except ImportError:
        raise UberSimError("pictures in LZ4 need lz4: pip install 'ubersim[camera]'") from None
    return frame
