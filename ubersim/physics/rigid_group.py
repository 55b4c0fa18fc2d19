"""Bodies that move as one piece, as they are told in every frame."""

from __future__ import annotations

from collections.abc import Sequence

from ubersim.errors import WorldError
from ubersim.geometry import Triple
from ubersim.physics._ode import FINE, ffi, lib
from ubersim.physics.body import Body


class RigidGroup:
    """Bodies of one owner. What the kernel needs is at hand here, so that telling all of them is one call."""

    def __init__(self, bodies: Sequence[Body]) -> None:
        if len({(id(body.world), body.owner) for body in bodies}) != 1:
            raise WorldError("a piece needs bodies, all of them of one owner in one world")
        self._first = bodies[0]  # with its owner all of them go
        self._bodies = bodies[0].world.handle, len(bodies), ffi.new("body *[]", [body.handle for body in bodies])
        self._planar, self._spatial = ffi.new("planar_motion *"), ffi.new("spatial_motion *")
        self._share = ffi.new("double *")
        self._check()

    def move(self, point: complex, velocity: complex, swing: complex, turn: float) -> None:
        """Points and vectors of the plane are complex numbers: velocity + swing * (place - point) is a body's [m/s].

        All of them turn about the vertical [rad/s]. They move all at once, or none of them if one would be too fast.
        """
        self._check()
        motion = self._planar
        motion.x, motion.y = point.real, point.imag
        motion.velocity_x, motion.velocity_y = velocity.real, velocity.imag
        motion.swing_x, motion.swing_y = swing.real, swing.imag
        motion.turn = turn
        self._done(lib.kernel_move_piece(*self._bodies, motion))

    def move_freely(self, point: Triple, velocity: Triple, rate: Triple) -> None:
        """In space: the point moves with a velocity [m/s], and all turn about it [rad/s]. All at once, or none."""
        self._check()
        motion = self._spatial
        motion.point, motion.velocity, motion.rate = point, velocity, rate
        self._done(lib.kernel_move_freely(*self._bodies, motion))

    def free_share(self) -> float:
        """The share of their way in the next step that they can go before something is in it that does not give way.

        That is the static world, and what others tell how to move. They stop 0.1 mm deep in it, so that they touch it.
        """
        self._check()
        self._done(lib.kernel_free_share(*self._bodies, self._share))
        return float(self._share[0])

    def _done(self, outcome: int) -> None:
        if outcome != FINE:
            raise WorldError(self._first.world.message())

    def _check(self) -> None:
        if self._first.row < 0:
            raise WorldError("the bodies of this piece were removed")
