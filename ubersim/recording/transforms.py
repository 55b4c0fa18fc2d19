"""foxglove.FrameTransforms for many instants at once: the bytes of one message, in which only the numbers change.

A message object per transform would cost more than the simulation. In protobuf a double always takes eight bytes, and a
varint may be padded, so that all messages about the same bodies are of one length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_SECONDS = 1_000_000_000
_DIGITS = 5
"""Bytes of a padded varint: 35 bits, a thousand years in seconds."""


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(parts) + bytes([value])


def _vector(size: int) -> bytes:
    return b"".join(bytes([number << 3 | 1]) + bytes(8) for number in range(1, size + 1))


_TIME = b"\x08" + bytes(_DIGITS) + b"\x10" + bytes(_DIGITS)


class Transforms:
    """Messages that say where these frames are, seen from the frame `world`."""

    def __init__(self, frames: Sequence[str]) -> None:
        message = b""
        times, numbers = [], []
        for frame in frames:
            before = _field(1, _TIME) + _field(2, b"world") + _field(3, frame.encode())
            content = before + _field(4, _vector(3)) + _field(5, _vector(4))
            message += _field(1, content)
            start = len(message) - len(content)
            times.append(start + 2)
            place = start + len(before) + 2
            numbers += [place + 1 + 9 * i for i in range(3)]
            place += 9 * 3 + 2
            numbers += [place + 1 + 9 * i for i in range(4)]
        self._template = np.frombuffer(message, np.uint8)
        self._times = np.array(times, dtype=np.int64)
        self._numbers = (np.array(numbers, dtype=np.int64)[:, None] + np.arange(8)).ravel()

    def messages(self, nanoseconds: NDArray[np.int64], poses: NDArray[np.float64]) -> Iterator[bytes]:
        """A message per instant; `poses` are position and quaternion (w first), shape (instants, frames, 7)."""
        count = len(nanoseconds)
        messages = np.tile(self._template, (count, 1))
        ordered = np.ascontiguousarray(poses[:, :, [0, 1, 2, 4, 5, 6, 3]], dtype="<f8")  # protobuf has w last
        messages[:, self._numbers] = ordered.view(np.uint8).reshape(count, -1)
        for part, values in ((1, nanoseconds // _SECONDS), (2 + _DIGITS, nanoseconds % _SECONDS)):
            for digit in range(_DIGITS):
                more = 0x80 if digit < _DIGITS - 1 else 0
                byte = (values >> 7 * digit & 0x7F | more).astype(np.uint8)
                messages[:, self._times + part + digit] = byte[:, None]
        return (row.tobytes() for row in messages)
