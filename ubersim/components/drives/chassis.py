"""The bodies of a robot that moves as it is told."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ubersim.geometry import Array, Triple, product, turned

if TYPE_CHECKING:
    from ubersim.physics import Body


class Chassis:
    """Moves bodies as one piece: they push whatever gives way, and stop at what does not; nothing pushes them."""

    def __init__(self, bodies: Sequence[Body], center: Array, step: float) -> None:
        """`center` is the point whose velocity is told, in the world; it moves with the first body."""
        from ubersim.physics import RigidGroup  # not above: descriptions can be read without the physics engine

        self.step = step
        """Length of a frame [s]."""
        self.bodies = bodies
        """What moves."""
        self._piece = RigidGroup(bodies)
        self._first = bodies[0]
        self.center: list[float] = product(self._first.rotation.T, center - self._first.position).tolist()
        """The point, as the first body sees it."""
        for body in bodies:
            body.make_kinematic()

    def move(self, right: float, forward: float, turn: float) -> float:
        """The mean velocity during the next step, as the robot sees it [m/s]; `turn` is to the left [rad/s].

        The centre comes to lie where the arc ends that a steady velocity describes, so that a circle is a circle.
        Returns the share of that way that it can go: less than 1 if something is in it that does not give way.
        """
        return self._as_far_as_it_goes(lambda share: self._roll(share * right, share * forward, share * turn))

    def fly(self, velocity: Triple, rates: Triple) -> float:
        """As `move`, in space: to the right, forward and up [m/s], about the same axes of its own [rad/s]."""

        def start(share: float) -> None:
            rotation = self._first.rotation
            scaled = [[share * part for part in vector] for vector in (velocity, rates)]
            self._piece.move_freely(self._place(), turned(rotation, scaled[0]), turned(rotation, scaled[1]))

        return self._as_far_as_it_goes(start)

    def _as_far_as_it_goes(self, start: Callable[[float], None]) -> float:
        start(1.0)
        share = self._piece.free_share()
        if share < 1.0:
            start(share)
        return share

    def _roll(self, right: float, forward: float, turn: float) -> None:
        rotation = self._first.rotation
        heading = math.atan2(-rotation[0, 1], rotation[1, 1])
        x, y, _ = self._place()
        # Points of the plane are complex numbers here. A chord is shorter than its arc, and halfway between its ends'
        # directions.
        half = 0.5 * turn * self.step
        chord = math.sin(half) / half if half else 1.0
        velocity = cmath.rect(chord, heading + half) * complex(right, forward)
        swing = cmath.rect(chord * turn, half + 0.5 * math.pi)
        self._piece.move(complex(x, y), velocity, swing, turn)

    def _place(self) -> Triple:
        """Where the centre is."""
        x, y, z = (self._first.position + turned(self._first.rotation, self.center)).tolist()
        return x, y, z
