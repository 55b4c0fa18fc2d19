"""Pictures in documents: PNG or JPEG, as base64. Their size is known before anything unpacks them."""

from __future__ import annotations

import base64
import binascii
import struct

LARGEST = 4096
"""Edge of a texture [px]."""
LONGEST_TEXT = 8 * 1024 * 1024
"""Characters of base64."""
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Segments of a JPEG file that tell its size."""


def picture_bytes(text: str) -> bytes:
    """The file that base64 stands for; a ValueError says why it is no picture that may be shown."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("it is not base64") from None
    width, height = picture_size(data)
    if not 1 <= width <= LARGEST or not 1 <= height <= LARGEST:
        raise ValueError(f"it has {width} x {height} pixels; allowed are 1 to {LARGEST} each way")
    return data


def picture_text(data: bytes) -> str:
    """What documents hold instead of a picture file."""
    return base64.b64encode(data).decode("ascii")


def picture_size(data: bytes) -> tuple[int, int]:
    """Width and height, by the file's header alone [px]."""
    if data.startswith(_PNG) and len(data) >= 24:
        width, height = struct.unpack_from(">II", data, 16)
        return width, height
    if data.startswith(_JPEG):
        return _jpeg_size(data)
    raise ValueError("it is neither a PNG nor a JPEG file")


def _jpeg_size(data: bytes) -> tuple[int, int]:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker in _FRAME_MARKERS:
            height, width = struct.unpack_from(">HH", data, place + 5)
            return width, height
        place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    raise ValueError("it is a JPEG file that does not tell its size")
