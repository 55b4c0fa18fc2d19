"""What a pixel's bytes are: blue, green and red as drawn, or what other cameras send. Integers, so the same everywhere.

Luma and chroma are those of JPEG files: BT.601 on the full range from 0 to 255, chroma about 128, rounded to the
nearest.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

PixelFormat = Literal["bgra", "yuv", "yuyv", "grey"]
PIXEL_FORMATS: tuple[PixelFormat, ...] = get_args(PixelFormat)
CHANNELS: dict[PixelFormat, int] = {"bgra": 4, "yuv": 3, "yuyv": 2, "grey": 1}
"""Bytes per pixel."""
Bytes = NDArray[np.uint8]

_HALF = 1 << 15
_MIDDLE = 128 << 16
_LUMA = np.array([7471, 38470, 19595], np.int32)
_BLUE = np.array([32768, -21709, -11059], np.int32)
_RED = np.array([-5329, -27439, 32768], np.int32)
"""Parts of blue, green and red in 65536ths."""


def picture_shape(height: int, width: int, form: PixelFormat) -> tuple[int, ...]:
    """Shape of the array that a picture is; grey has no third axis."""
    return (height, width) if form == "grey" else (height, width, CHANNELS[form])


def convert(bgra: Bytes, form: PixelFormat, out: Bytes) -> None:
    """Writes a picture that was drawn to `out`, in another format; the width of `yuyv` is even."""
    colors = bgra[..., :3].astype(np.int32)
    luma = (_mix(colors, _LUMA) + _HALF) >> 16
    if form == "grey":
        out[...] = luma
        return
    if form == "yuyv":
        # Two neighbours share their chroma: that of their mean.
        pairs = colors[:, 0::2] + colors[:, 1::2]
        out[..., 0] = luma
        out[:, 0::2, 1] = _chroma(pairs, _BLUE, 17)
        out[:, 1::2, 1] = _chroma(pairs, _RED, 17)
        return
    out[..., 0], out[..., 1], out[..., 2] = luma, _chroma(colors, _BLUE, 16), _chroma(colors, _RED, 16)


def to_rgb(picture: NDArray[Any], form: PixelFormat) -> Bytes:
    """Red, green and blue (height, width, 3) of a picture, for people to look at."""
    if form == "bgra":
        return np.ascontiguousarray(picture[..., 2::-1])
    if form == "grey":
        return np.repeat(picture[..., None], 3, axis=2)
    luma = picture[..., 0].astype(np.float32)
    if form == "yuv":
        blue, red = (picture[..., channel].astype(np.float32) - 128 for channel in (1, 2))
    else:
        blue, red = (np.repeat(picture[:, start::2, 1].astype(np.float32) - 128, 2, axis=1) for start in (0, 1))
    mixed = (luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue)
    rgb: Bytes = np.clip(np.rint(np.stack(mixed, axis=-1)), 0, 255).astype(np.uint8)
    return rgb


def _mix(colors: NDArray[np.int32], parts: NDArray[np.int32]) -> NDArray[np.int32]:
    mixed: NDArray[np.int32] = colors[..., 0] * parts[0] + colors[..., 1] * parts[1] + colors[..., 2] * parts[2]
    return mixed


def _chroma(colors: NDArray[np.int32], parts: NDArray[np.int32], bits: int) -> NDArray[np.int32]:
    """Of colours that sum up to 2 ** (bits - 16) times theirs; the one value that would be 256 is 255."""
    scale = bits - 16
    shifted: NDArray[np.int32] = (_mix(colors, parts) + (_MIDDLE << scale) + (_HALF << scale)) >> bits
    return np.minimum(shifted, 255)
