"""A world as the kernel has it: its handle, its frame, and the states of its bodies as arrays."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ubersim.errors import WorldError
from ubersim.geometry import Array
from ubersim.physics._ode import doubles, lib, text


class KernelWorld:
    """What bodies, rays and snapshots need of the world that they are in."""

    positions: Array
    """Of the bodies' centres of mass [m], shape (N, 3); a view on the kernel's memory, as the next four."""
    quaternions: Array
    """(w, x, y, z), shape (N, 4)."""
    rotations: Array
    """Rotation matrices, shape (N, 3, 3)."""
    linear_velocities: Array
    """[m/s], shape (N, 3)."""
    angular_velocities: Array
    """[rad/s], in world axes, shape (N, 3)."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self._release = weakref.finalize(self, lib.kernel_destroy, handle)
        self._release.atexit = False  # other threads may simulate until the very end of the program
        self._capacity = 0
        self._reserve(64, 0)

    @property
    def frame(self) -> int:
        """How many steps were taken."""
        return int(lib.kernel_frame(self.handle))

    @frame.setter
    def frame(self, frame: int) -> None:
        lib.kernel_set_frame(self.handle, frame)

    def message(self) -> str:
        """What the kernel said last about what it did not do."""
        return text(lib.kernel_message(self.handle))

    def _reserve(self, rows: int, shown: int) -> None:
        """Arrays with room for so many bodies. They belong to Python, so that old views stay harmless."""
        if rows <= self._capacity:
            return
        capacity = max(rows, 2 * self._capacity)
        widths = (3, 4, 9, 3, 3)
        arrays = [np.zeros((capacity, width)) for width in widths]
        if lib.kernel_set_arrays(self.handle, capacity, *(doubles(array) for array in arrays)) != lib.KERNEL_FINE:
            raise WorldError(f"no room for {rows} bodies: {self.message()}")
        self._arrays, self._capacity = arrays, capacity
        self._show_rows(shown)

    def _show_rows(self, count: int) -> None:
        positions, quaternions, rotations, linear, angular = self._arrays
        self.positions, self.quaternions = positions[:count], quaternions[:count]
        self.rotations = rotations[:count].reshape(count, 3, 3)
        self.linear_velocities, self.angular_velocities = linear[:count], angular[:count]
