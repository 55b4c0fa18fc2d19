"""Reads the mesh formats that everything can write: STL (binary and text) and OBJ. A ValueError says what is wrong."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import Array

Triangles = NDArray[np.int64]
MOST_TRIANGLES = 1_000_000
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84
_VERTEX = re.compile(rb"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)", re.MULTILINE)


def read_stl(data: bytes) -> tuple[Array, Triangles]:
    """Vertices and triangles of an STL file; corners in exactly the same place become one vertex."""
    count = int.from_bytes(data[80:_HEADER], "little") if len(data) >= _HEADER else -1
    # Text starts with `solid`, but so do many binary files; the length decides.
    if len(data) == _HEADER + count * _FACET.itemsize:
        corners = np.frombuffer(data, dtype=_FACET, offset=_HEADER)["corners"].astype(np.float64).reshape(-1, 3)
    elif data.lstrip()[:5].lower() == b"solid":
        corners = _floats(_VERTEX.findall(data))
    else:
        raise ValueError("neither a text STL (`solid ...`) nor a binary one of the right length")
    if not len(corners) or len(corners) % 3 or len(corners) > 3 * MOST_TRIANGLES:
        raise ValueError(f"it has {len(corners)} corners, which is not 3 for each of 1 to {MOST_TRIANGLES} triangles")
    vertices, indices = np.unique(corners + 0.0, axis=0, return_inverse=True)  # + 0.0: -0 and 0 are one place
    return vertices, indices.reshape(-1, 3).astype(np.int64)


def read_obj(data: bytes) -> tuple[Array, Triangles]:
    """Vertices and triangles of an OBJ file; faces with more corners are cut into fans, all but shape is ignored."""
    corners: list[list[bytes]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(data.splitlines(), start=1):
        words = line.split(b"#")[0].split()
        if words[:1] == [b"v"]:
            corners.append(words[1:4])
        elif words[:1] == [b"f"]:
            face = [_obj_index(word, len(corners), number) for word in words[1:]]
            if len(face) < 3:
                raise ValueError(f"line {number}: a face has three corners or more")
            triangles.extend((face[0], face[i], face[i + 1]) for i in range(1, len(face) - 1))
    if not triangles or len(triangles) > MOST_TRIANGLES:
        raise ValueError(f"it has {len(triangles)} triangles; allowed are 1 to {MOST_TRIANGLES}")
    return _floats(corners), np.array(triangles, dtype=np.int64)


def _obj_index(word: bytes, vertices: int, line: int) -> int:
    """From 1 on; negative ones count back from the newest vertex."""
    try:
        index = int(word.split(b"/")[0])
    except ValueError:
        raise ValueError(f"line {line}: {word.decode(errors='replace')!r} is no corner of a face") from None
    index = index - 1 if index > 0 else vertices + index
    if not 0 <= index < vertices:
        raise ValueError(f"line {line}: vertex {word.decode(errors='replace')} does not exist (yet)")
    return index


def _floats(rows: list[list[bytes]] | list[tuple[bytes, bytes, bytes]]) -> Array:
    try:
        values = np.array([[float(word) for word in row] for row in rows], dtype=np.float64).reshape(-1, 3)
    except ValueError:
        raise ValueError("a vertex is not three numbers") from None
    if not np.isfinite(values).all():
        raise ValueError("a vertex is not finite")
    return values
