"""The only door to the native library: everything else in the package talks to ODE through these names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.physics._kernel import ffi as _ffi
from ubersim.physics._kernel import lib as _lib

ffi: Any = _ffi
lib: Any = _lib

FINE: int = lib.KERNEL_FINE
EXPLODED: int = lib.KERNEL_EXPLODED

NULL: Any = ffi.NULL


def doubles(array: NDArray[np.float64]) -> Any:
    """A pointer to the array's own memory; the array must be contiguous and outlive the use of the pointer."""
    return ffi.cast("double *", array.ctypes.data)


def integers(array: NDArray[np.int64]) -> Any:
    """As `doubles`, for 64-bit integers."""
    return ffi.cast("int64_t *", array.ctypes.data)


def words(array: NDArray[np.uint32]) -> Any:
    """As `doubles`, for 32-bit unsigned integers."""
    return ffi.cast("uint32_t *", array.ctypes.data)


def flags(array: NDArray[np.bool_]) -> Any:
    """As `doubles`, for truth values."""
    return ffi.cast("_Bool *", array.ctypes.data)


def text(pointer: Any) -> str:
    """A C string as Python's."""
    decoded: str = ffi.string(pointer).decode(errors="replace")
    return decoded


def version() -> str:
    """Which ODE this is: its version as compiled against, the library's file, its configuration."""
    return text(lib.ode_version())
