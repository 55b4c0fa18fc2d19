"""Rays that are fixed to a body, ready to be cast in every frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ubersim.errors import WorldError
from ubersim.geometry import Array
from ubersim.physics import validation
from ubersim.physics._ode import FINE, NULL, doubles, integers, lib
from ubersim.physics.body import Body
from ubersim.physics.results import RayHits


class RayBatch:
    """Rays from one point of a body. All is checked and allocated here, so that casting them is one call."""

    def __init__(
        self,
        body: Body,
        place: ArrayLike,
        directions: ArrayLike,
        ranges: ArrayLike,
        *,
        ignore_body: Body | None = None,
        ignore_owner: int | None = None,
    ) -> None:
        """`place` [m] and `directions` are in the body's frame, `ranges` are in metres."""
        point = validation.position("a bundle's place", place)
        fixed = np.array(directions, dtype=np.float64, order="C")
        origins, fixed, lengths = validation.rays(np.tile(point, (len(fixed), 1)), fixed, ranges)
        count = len(fixed)
        self.directions: Array = np.empty((count, 3))
        """The rays' directions in the world when they were cast last."""
        self.hits = RayHits(np.empty(count), np.empty(count, dtype=np.int64), np.empty((count, 3)))
        """What they hit then."""
        self._body = body
        self._memory = point, origins, fixed, lengths  # the kernel knows but their addresses
        self._call = (
            body.world.handle,
            body.handle,
            count,
            doubles(point),
            doubles(fixed),
            doubles(lengths),
            NULL if ignore_body is None else ignore_body.handle,
            -1 if ignore_owner is None else ignore_owner,
            doubles(origins),
            doubles(self.directions),
            doubles(self.hits.distances),
            integers(self.hits.geoms),
            doubles(self.hits.normals),
        )

    @property
    def call(self) -> tuple[Any, ...]:
        """What the kernel is given to cast them, after its world; for the native lane."""
        return self._call[1:]

    def cast(self) -> RayHits:
        """The nearest hit of every ray now; the next cast overwrites it."""
        if self._body.row < 0:
            raise WorldError("the body of these rays was removed")
        if lib.kernel_cast_bundle(*self._call) != FINE:
            raise WorldError(f"the physics engine failed: {self._body.world.message()}")
        return self.hits
