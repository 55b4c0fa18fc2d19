"""Bodies that move in the plane as one piece, as they are told in every frame."""

from __future__ import annotations

from collections.abc import Sequence

from ubersim.errors import WorldError
from ubersim.physics._ode import FINE, ffi, lib
from ubersim.physics.body import Body


class RigidGroup:
    """Bodies of one owner. What the kernel needs is at hand here, so that telling all of them is one call."""

    def __init__(self, bodies: Sequence[Body]) -> None:
        if len({(id(body.world), body.owner) for body in bodies}) != 1:
            raise WorldError("a piece needs bodies, all of them of one owner in one world")
        self._first = bodies[0]  # with its owner all of them go
        self._motion = ffi.new("planar_motion *")
        handles = ffi.new("body *[]", [body.handle for body in bodies])
        self._call = bodies[0].world.handle, len(bodies), handles, self._motion
        self._check()

    def move(self, point: complex, velocity: complex, swing: complex, turn: float) -> None:
        """Points and vectors of the plane are complex numbers: velocity + swing * (place - point) is a body's [m/s].

        All of them turn about the vertical [rad/s]. They move all at once, or none of them if one would be too fast.
        """
        self._check()
        motion = self._motion
        motion.x, motion.y = point.real, point.imag
        motion.velocity_x, motion.velocity_y = velocity.real, velocity.imag
        motion.swing_x, motion.swing_y = swing.real, swing.imag
        motion.turn = turn
        if lib.kernel_move_piece(*self._call) != FINE:
            raise WorldError(self._first.world.message())

    def _check(self) -> None:
        if self._first.row < 0:
            raise WorldError("the bodies of this piece were removed")
