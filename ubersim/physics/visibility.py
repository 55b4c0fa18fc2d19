"""Looking around from a place on a body: what is where, and what of it is in sight; ready to be done in every frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import WorldError
from ubersim.geometry import Array, Pose
from ubersim.physics._ode import FINE, doubles, ffi, flags, integers, lib
from ubersim.physics.body import Body

COLUMNS: int = lib.OUTLOOK_COLUMNS
"""Of what is told of a thing: number, bearing to the left, elevation [rad], distance [m], apparent size [rad]."""


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Things that can be looked at, T in all, with A points that looks are aimed at."""

    numbers: Array
    """What the things are called, (T,)."""
    radii: Array
    """Of the spheres around them [m], (T,)."""
    where: Array
    """The things' centres and then all aims, in the frames of their bodies, or of the world [m], (T + A, 3)."""
    rows: NDArray[np.int64]
    """Which bodies these are; -1 is the static world, (T + A,)."""
    thing_of_aim: NDArray[np.int64]
    """(A,)."""
    thing_of_geom: NDArray[np.int64]
    """In the order of the world's geoms; -1 is none of them."""


class Visibility:
    """What can be seen from one place. All is allocated here; the next look overwrites what the last one found."""

    def __init__(self, body: Body, place: Pose, landmarks: Landmarks) -> None:
        things, aims = len(landmarks.numbers), len(landmarks.thing_of_aim)
        self.viewpoint: Array = np.zeros(3)
        """Where the place is in the world [m]."""
        self.seen: Array = np.zeros((things + aims, 3))
        """Where the things' centres and then the aims are, in the axes of the place [m]."""
        self.aims: Array = self.seen[things:]
        """The aims alone."""
        self.inside: NDArray[np.bool_] = np.zeros(aims, dtype=bool)
        """Which of the aims are within the picture. Who knows better than `frame` writes it himself."""
        self._body = body
        self._world = body.world
        self._told: Array = np.zeros((things, COLUMNS))
        doubles_of = [np.ascontiguousarray(array) for array in (landmarks.numbers, landmarks.radii, landmarks.where)]
        local = [np.ascontiguousarray(place.position), np.ascontiguousarray(place.rotation)]
        axes, visible = np.zeros((3, 3)), np.zeros(things, dtype=bool)
        self._memory = landmarks, doubles_of, local, axes, visible  # the kernel knows but their addresses
        self._handle = ffi.new(
            "outlook *",
            {
                "body": body.handle,
                "place": doubles(local[0]),
                "turn": doubles(local[1]),
                "things": things,
                "aims": aims,
                "numbers": doubles(doubles_of[0]),
                "radii": doubles(doubles_of[1]),
                "where": doubles(doubles_of[2]),
                "rows": integers(landmarks.rows),
                "thing_of_aim": integers(landmarks.thing_of_aim),
                "geoms": len(landmarks.thing_of_geom),
                "thing_of_geom": integers(landmarks.thing_of_geom),
                "viewpoint": doubles(self.viewpoint),
                "axes": doubles(axes),
                "seen": doubles(self.seen),
                "inside": flags(self.inside),
                "visible": flags(visible),
            },
        )
        self._told_at = doubles(self._told)

    def look(self) -> None:
        """Finds out where everything is now."""
        if self._body.row < 0:
            raise WorldError("the body that one looks from was removed")
        lib.outlook_look(self._world.handle, self._handle)

    def frame(self, wide: float, high: float, nearest: float, farthest: float) -> None:
        """Finds out which aims are in a pinhole's picture: tangents to its right and upper edge, depths [m]."""
        lib.outlook_frame(self._handle, wide, high, nearest, farthest)

    def search(self, reach: float, rays: Array) -> None:
        """Finds out what is in sight, up to `reach` [m]; rays in the axes of the place look where no aim is."""
        if lib.outlook_search(self._world.handle, self._handle, reach, len(rays), doubles(rays)) != FINE:
            raise WorldError(f"the physics engine failed: {self._world.message()}")

    def in_sight(self) -> Array:
        """What there is to tell of the things in sight, a row each."""
        return self._told[: lib.outlook_tell(self._handle, False, self._told_at)].copy()

    def everything(self) -> Array:
        """What there is to tell of all things, in sight or not."""
        return self._told[: lib.outlook_tell(self._handle, True, self._told_at)].copy()
