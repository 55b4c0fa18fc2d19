"""The matrix of surfaces on its way into the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ubersim.errors import WorldError
from ubersim.physics import validation
from ubersim.physics._ode import ffi


class SurfaceLike(Protocol):
    """How two materials meet; `ubersim.description.materials.Surface` explains the fields."""

    @property
    def mu(self) -> float: ...
    @property
    def mu2(self) -> float | None: ...
    @property
    def bounce(self) -> float: ...
    @property
    def bounce_velocity(self) -> float: ...
    @property
    def soft_erp(self) -> float | None: ...
    @property
    def soft_cfm(self) -> float | None: ...
    @property
    def stiffness(self) -> float | None: ...
    @property
    def damping(self) -> float: ...
    @property
    def slip(self) -> float: ...
    @property
    def slip2(self) -> float: ...
    @property
    def rolling(self) -> float: ...
    @property
    def spinning(self) -> float: ...


_SURFACE_FIELDS = (
    "mu",
    "mu2",
    "bounce",
    "bounce_velocity",
    "soft_erp",
    "soft_cfm",
    "stiffness",
    "damping",
    "slip",
    "slip2",
    "rolling",
    "spinning",
)
_MOST_FRICTION = 1e6  # as good as infinite, and finite times zero stays zero
_LARGEST = {"bounce": 1.0, "soft_erp": 1.0, "stiffness": 1e12, "damping": 1e9}


def packed(surfaces: Sequence[Sequence[SurfaceLike]]) -> Any:
    """The matrix as the kernel takes it, NaN for None."""
    count = len(surfaces)
    if not count or any(len(row) != count for row in surfaces):
        raise WorldError("the matrix of surfaces must be square and not empty")
    matrix = ffi.new("surface[]", count * count)
    for place, surface in enumerate(surface for row in surfaces for surface in row):
        for name in _SURFACE_FIELDS:
            value = getattr(surface, name)
            largest = _LARGEST.get(name, _MOST_FRICTION)
            checked = (
                float("nan")
                if value is None
                else validation.number(f"surface {name}", min(value, largest), 0.0, largest)
            )
            setattr(matrix[place], name, checked)
    return matrix
