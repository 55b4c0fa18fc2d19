"""Triangles in the form in which the kernel tests shapes against them: built once, in whichever thread has the time."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike

from ubersim.errors import WorldError
from ubersim.physics import validation
from ubersim.physics._ode import NULL, doubles, ffi, lib, text, words

_LONGEST_MESSAGE = 256


class CollisionMesh:
    """A mesh in its own frame, for any number of geoms of any worlds.

    Building it takes microseconds per triangle, without the GIL and without a world: a thread beside the simulation's
    can do it.
    """

    def __init__(self, vertices: ArrayLike, triangles: ArrayLike) -> None:
        """Vertices [m], one per row, and the three that each triangle has."""
        points, corners = validation.mesh(vertices, triangles)
        message = ffi.new("char[]", _LONGEST_MESSAGE)
        handle = lib.mesh_create(len(points), doubles(points), len(corners), words(corners), message)
        if handle == NULL:
            raise WorldError(f"the physics engine refused: {text(message)}")
        self.handle: Any = ffi.gc(handle, lib.mesh_release)


_built: WeakValueDictionary[bytes, CollisionMesh] = WeakValueDictionary()


def shared_mesh(vertices: ArrayLike, triangles: ArrayLike) -> CollisionMesh:
    """The mesh of these triangles: the same one for as long as anything holds it, however many robots have it."""
    arrays = np.asarray(vertices, dtype=np.float64), np.asarray(triangles, dtype=np.int64)
    content = blake2b(repr([array.shape for array in arrays]).encode())
    for array in arrays:
        content.update(array.tobytes())
    name = content.digest()
    mesh = _built.get(name)
    if mesh is None:
        mesh = _built[name] = CollisionMesh(*arrays)
    return mesh
