"""The bodies of a robot that moves as it is told."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ubersim.geometry import Array, product, turned

if TYPE_CHECKING:
    from ubersim.physics import Body


class Chassis:
    """Moves a robot's bodies as one piece: they push whatever is in the way, and nothing pushes them."""

    def __init__(self, bodies: Sequence[Body], center: Array, step: float) -> None:
        """`center` is the point whose velocity is told, in the world; it moves with the first body."""
        from ubersim.physics import RigidGroup  # not above: descriptions can be read without the physics engine

        self.step = step
        """Length of a frame [s]."""
        self._piece = RigidGroup(bodies)
        self._first = bodies[0]
        self._center: list[float] = product(self._first.rotation.T, center - self._first.position).tolist()
        for body in bodies:
            body.make_kinematic()

    def move(self, right: float, forward: float, turn: float) -> None:
        """The mean velocity during the next step, as the robot sees it [m/s]; `turn` is to the left [rad/s].

        The centre comes to lie where the arc ends that a steady velocity describes, so that a circle is a circle.
        """
        rotation = self._first.rotation
        heading = math.atan2(-rotation[0, 1], rotation[1, 1])
        x, y, _ = (self._first.position + turned(rotation, self._center)).tolist()
        # Points of the plane are complex numbers here. A chord is shorter than its arc, and halfway between its ends'
        # directions.
        half = 0.5 * turn * self.step
        chord = math.sin(half) / half if half else 1.0
        velocity = cmath.rect(chord, heading + half) * complex(right, forward)
        swing = cmath.rect(chord * turn, half + 0.5 * math.pi)
        self._piece.move(complex(x, y), velocity, swing, turn)
