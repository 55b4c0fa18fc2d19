"""Writes a linear policy as an ONNX file, byte by byte: action = tanh(observation @ weights + offset)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_FLOAT = 1


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def _field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _node(kind: str, inputs: list[str], output: str) -> bytes:
    return b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(3, output) + _field(4, kind)


def _tensor(name: str, array: NDArray[np.float32]) -> bytes:
    shape = b"".join(_field(1, size) for size in array.shape)
    return shape + _field(2, _FLOAT) + _field(8, name) + _field(9, array.astype("<f4").tobytes())


def _value(name: str, width: int) -> bytes:
    shape = b"".join(_field(1, _field(1, size)) for size in (1, width))
    return _field(1, name) + _field(2, _field(1, _field(1, _FLOAT) + _field(2, shape)))


def write_linear_policy(path: Path, weights: NDArray[np.float32], offset: NDArray[np.float32]) -> None:
    """`weights` has a row for each number of the observation, a column for each of the action."""
    nodes = [_node("MatMul", ["seen", "W"], "m"), _node("Add", ["m", "b"], "s"), _node("Tanh", ["s"], "action")]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "policy")
    graph += _field(5, _tensor("W", weights)) + _field(5, _tensor("b", offset))
    graph += _field(11, _value("seen", weights.shape[0])) + _field(12, _value("action", weights.shape[1]))
    path.write_bytes(_field(1, 8) + _field(7, graph) + _field(8, _field(2, 13)))
