"""Geoms as Python holds them: what collides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ubersim.physics._ode import lib
from ubersim.physics.body import Body
from ubersim.physics.kernel_world import KernelWorld


@dataclass(eq=False)
class Geom:
    """A shape that collides; static if it has no body."""

    id: int
    """Stable and increasing: the order in which geoms were made."""
    owner: int
    """To whom it belongs."""
    body: Body | None
    """What it moves with."""
    material: int
    """Its row in the matrix of surfaces."""
    world: KernelWorld = field(repr=False)
    """Where it is."""
    handle: Any = field(repr=False)
    """The kernel's geom."""

    def set_self_collision(self, enabled: bool) -> None:
        """Whether it collides with its owner's other bodies, where these do so, too."""
        lib.geom_set_self_collision(self.world.handle, self.handle, enabled)

    def set_rollers(self, radius: float) -> None:
        """Gives it rollers all around its z axis, which roll along that axis, and touch in one point."""
        lib.geom_set_rollers(self.handle, radius)
