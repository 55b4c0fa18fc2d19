"""Looking around from a place on a body: what is where, and what of it is in sight; ready to be done in every frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ubersim.errors import WorldError
from ubersim.geometry import Array, Pose
from ubersim.physics._ode import FINE, doubles, ffi, flags, integers, lib
from ubersim.physics.body import Body

COLUMNS: int = lib.SIGHT_COLUMNS
"""Of what is told of a thing: number, bearing to the left, elevation [rad], distance [m], apparent size [rad]."""
PROJECTIONS: dict[str, int] = {
    "pinhole": lib.PINHOLE,
    "facette": lib.FACETTE,
    "fisheye": lib.FISHEYE,
    "mirror": lib.MIRROR,
    "isometric_mirror": lib.ISOMETRIC_MIRROR,
}


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Things that can be looked at, T in all, with A points that looks are aimed at."""

    numbers: Array
    """What the things are called, (T,)."""
    centers: Array
    """Of the spheres around them, in the frames of their bodies, or of the world [m], (T, 3)."""
    radii: Array
    """Of these spheres [m], (T,)."""
    rows: NDArray[np.int64]
    """Which bodies these are; -1 is the static world, (T,)."""
    owners: NDArray[np.int64]
    """Whose the things are, (T,)."""
    first_aim: NDArray[np.int64]
    """Where each thing's aims begin, and where the last one's end, (T + 1,)."""
    aims: Array
    """The points that are aimed at, in the same frames [m], (A, 3)."""
    statics: int
    """The first so many things are one static geom each."""
    first_static: int
    """Their ids begin here."""
    thing_of_row: NDArray[np.int64]
    """For each body of the world; -1 is none of them."""


class Framing:
    """Which directions from its viewpoint a camera shows, as the kernel knows it."""

    def __init__(self, projection: str, cone: tuple[int, float], **numbers: float) -> None:
        """All that is shown lies in a `cone` about +y (1) or -y (-1), of that half angle; numbers as in `picture`."""
        axis, angle = cone
        numbers = {"cone_axis": axis, "cone_angle": angle, **numbers}
        self.handle: Any = ffi.new("picture *", {"projection": PROJECTIONS[projection], **numbers})

    def shows(self, point: ArrayLike) -> bool:
        """Whether a point, seen from the viewpoint [m], is in the picture, neither too near nor too far."""
        return bool(lib.picture_shows(self.handle, doubles(np.array(point, dtype=np.float64))))


class Visibility:
    """What can be seen from one place. All is allocated here; the next look overwrites what the last one found."""

    def __init__(self, body: Body, place: Pose, landmarks: Landmarks) -> None:
        things = len(landmarks.numbers)
        self.viewpoint: Array = np.zeros(3)
        """Where the place was in the world when it was looked around last [m]."""
        self._body = body
        self._world = body.world
        self._told: Array = np.zeros((things, COLUMNS))
        arrays = {
            "place": np.ascontiguousarray(place.position),
            "turn": np.ascontiguousarray(place.rotation),
            "numbers": landmarks.numbers,
            "centers": landmarks.centers,
            "radii": landmarks.radii,
            "aims": landmarks.aims,
            "viewpoint": self.viewpoint,
            "axes": np.zeros((3, 3)),
            "seen": np.zeros((things, 3)),
        }
        near, visible = np.zeros(things, dtype=np.int64), np.zeros(things, dtype=bool)
        self._memory = landmarks, arrays, near, visible  # the kernel knows but their addresses
        self._handle = ffi.new(
            "sight *",
            {
                "body": body.handle,
                "things": things,
                **{name: doubles(array) for name, array in arrays.items()},
                "rows": integers(landmarks.rows),
                "owners": integers(landmarks.owners),
                "first_aim": integers(landmarks.first_aim),
                "statics": landmarks.statics,
                "first_static": landmarks.first_static,
                "bodies": len(landmarks.thing_of_row),
                "thing_of_row": integers(landmarks.thing_of_row),
                "near": integers(near),
                "visible": flags(visible),
            },
        )
        self._told_at = doubles(self._told)

    def in_sight(self, framing: Framing, reach: float, rays: Array) -> Array:
        """What there is to tell of the things in the picture that are in sight, up to `reach` [m], a row each.

        Rays, in the axes of the place and within the picture, look where no aim is.
        """
        self._check_body()
        self._check(lib.sight_search(self._world.handle, self._handle, framing.handle, reach, len(rays), doubles(rays)))
        return self._rows()

    def everything(self) -> Array:
        """What there is to tell of all things but its owner's, in sight or not."""
        self._check_body()
        self._check(lib.sight_everything(self._world.handle, self._handle))
        return self._rows()

    def _rows(self) -> Array:
        return self._told[: lib.sight_tell(self._handle, self._told_at)].copy()

    def _check_body(self) -> None:
        if self._body.row < 0:
            raise WorldError("the body that one looks from was removed")

    def _check(self, outcome: int) -> None:
        if outcome != FINE:
            raise WorldError(f"the physics engine failed: {self._world.message()}")
