"""Saves pictures as PNG, with nothing but zlib."""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def encode_png(rgb: NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file of an array (height, width, 3), top row first."""
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
        raise ValueError("a picture is an array of bytes (height, width, 3)")
    height, width, _ = rgb.shape
    # Each row minus the one above it ("up" filter, 2): smooth pictures become half as large.
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 2
    flat = rgb.reshape(height, -1)
    rows[0, 1:] = flat[0]
    rows[1:, 1:] = flat[1:] - flat[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, data)
        for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    )


def encode_png_within(rgb: NDArray[np.uint8], most: int) -> bytes:
    """A PNG file of at most so many bytes: if the picture takes more, blocks of its pixels become one pixel each."""
    block = 1
    while len(png := encode_png(coarser(rgb, block))) > most and block < max(rgb.shape):
        block = max(block + 1, math.floor(block * math.sqrt(len(png) / most)))
    return png


def coarser(rgb: NDArray[np.uint8], block: int) -> NDArray[np.uint8]:
    """The means of all blocks of so many pixels in each direction; those at the edges may have fewer."""
    if block == 1:
        return rgb
    sums, count = rgb.astype(np.uint32), np.ones((1, 1, 1), np.uint32)
    for axis, size in enumerate(rgb.shape[:2]):
        starts = np.arange(0, size, block)
        sums = np.add.reduceat(sums, starts, axis=axis)
        widths = np.diff(np.append(starts, size)).astype(np.uint32)
        count = count * np.expand_dims(widths, tuple({0, 1, 2} - {axis}))
    return ((sums + count // 2) // count).astype(np.uint8)


def save_png(path: str | Path, rgb: NDArray[np.uint8]) -> None:
    """Writes a picture (height, width, 3), top row first."""
    Path(path).write_bytes(encode_png(rgb))


def from_bgra(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A camera's picture as (height, width, 3), red first."""
    return np.ascontiguousarray(picture[..., 2::-1])


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
