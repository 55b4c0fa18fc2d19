"""Whether something would be inside something solid, in a place where it is not yet; and how high it is free there."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from ubersim.description import BodyDescription, Materials, WorldDescription
from ubersim.errors import ExplodedError, UberSimError
from ubersim.geometry import Array, Pose
from ubersim.physics import Body
from ubersim.physics.build import WORLD, add_body, add_solids, build_world

Overlap = Literal["refuse", "lift", "allow"]
"""What to do about it: refuse, put it on top, or nothing."""
Placed = tuple[BodyDescription, Pose]
"""A body, and where its model space is."""

TOUCHING = 0.005
"""How deep things may be in each other, as what stands on the ground is [m]."""
HIGHEST = 1000.0
"""How far something is lifted at most [m]."""
_FIRST_LIFT = 0.01
_FINEST = 1e-4
"""How exactly it is put on top [m]."""


def carried(description: BodyDescription, body: Body) -> Placed:
    """A body as it is now, with its model space where the body carries it."""
    center = description.mass_properties().center
    return description, Pose(body.position.copy(), body.rotation.copy()) @ Pose(-center)


class Clearance:
    """A world of its own: the others' solids stand still in it, and one thing is tried at several heights."""

    def __init__(
        self,
        world: WorldDescription,
        materials: Materials,
        others: Mapping[str, Sequence[Placed]],
        thing: Sequence[Placed],
    ) -> None:
        self._world, _ = build_world(replace(world, objects=()), materials)
        self._names = {WORLD: "the world's own solids"}
        owners = itertools.count(WORLD + 1)
        for owner, (name, bodies) in zip(owners, others.items(), strict=False):
            self._names[owner] = name
            for description, frame in bodies:
                add_solids(self._world, owner, None, description.solids, frame, materials)
        self._thing = next(owners)
        self._bodies = [add_body(self._world, self._thing, body, frame, materials) for body, frame in thing]
        self._world.set_self_collision(self._thing, False)
        self._start = [(body.position.copy(), body.quaternion.copy()) for body in self._bodies]

    def lift(self, name: str, overlap: Overlap) -> Array:
        """How far it has to go up so that it is in nothing; refuses that if it is not what was asked for."""
        depth, other = self._deepest(0.0)
        if depth <= TOUCHING:
            return np.zeros(3)
        if overlap == "refuse":
            raise UberSimError(f"{name} would be {1000 * depth:.0f} mm deep in {other}; it can be lifted, if asked for")
        return np.array([0.0, 0.0, self._free_height(name)])

    def _free_height(self, name: str) -> float:
        """Where it touches nothing, to the tenth of a millimetre; searched from below."""
        low, high = 0.0, _FIRST_LIFT
        while self._deepest(high)[0] > 0.0:
            low, high = high, 2 * high
            if high > HIGHEST:
                raise UberSimError(f"there is no place for {name} within {HIGHEST:g} m above that")
        while high - low > _FINEST:
            middle = (low + high) / 2
            low, high = (low, middle) if self._deepest(middle)[0] == 0.0 else (middle, high)
        return high

    def _deepest(self, height: float) -> tuple[float, str]:
        """How deep it is in something, so far above its place, and in what."""
        at_rest, up = np.zeros(3), np.array([0.0, 0.0, height])
        for body, (position, quaternion) in zip(self._bodies, self._start, strict=True):
            body.set_state(position + up, quaternion, at_rest, at_rest)
        with contextlib.suppress(ExplodedError):  # what is deep in another flies apart; where they touched is known
            self._world.run(1)
        contacts = self._world.contacts()
        if not len(contacts.depths):
            return 0.0, ""
        deepest = int(contacts.depths.argmax())
        owners = {geom.id: geom.owner for geom in self._world.geoms}
        pair = owners[int(contacts.a[deepest])], owners[int(contacts.b[deepest])]
        return float(contacts.depths[deepest]), self._names[pair[0] if pair[1] == self._thing else pair[1]]
