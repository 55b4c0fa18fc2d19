"""A motion that is told at once: positions and velocities at instants, and cubic curves between them."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Sequence

from ubersim.components.joints.properties import FASTEST
from ubersim.description.base import FARTHEST

Waypoint = tuple[float, float, float]
"""Time [s], position [rad or m], velocity there [rad/s or m/s]."""
LONGEST = 1e6
"""[s]"""
_WAYPOINT = struct.Struct("<3f")


def decoded(payload: bytes) -> list[Waypoint]:
    """The waypoints of a payload; a ValueError says what is wrong with it."""
    if len(payload) % _WAYPOINT.size:
        raise ValueError(f"a waypoint has {_WAYPOINT.size} bytes: time, position and velocity, f32 each")
    waypoints: list[Waypoint] = list(_WAYPOINT.iter_unpack(payload))
    before = 0.0
    for number, (time, position, velocity) in enumerate(waypoints):
        # The comparisons are false for what is not a number.
        if not (before < time <= LONGEST or time == number == 0):
            raise ValueError(f"waypoint {number} has the time {time:g} s; times increase, from 0 to {LONGEST:g}")
        if not (abs(position) <= FARTHEST and abs(velocity) <= FASTEST):
            raise ValueError(f"waypoint {number} is at {position:g} with {velocity:g}; that is out of range")
        before = time
    return waypoints


def target_at(waypoints: Sequence[Waypoint], time: float) -> tuple[float, float]:
    """Position and velocity at an instant from the first waypoint on; after the last one, at rest there."""
    later = bisect_right(waypoints, time, key=lambda waypoint: waypoint[0])
    if later == len(waypoints):
        return waypoints[-1][1], 0.0
    (begin, p0, v0), (end, p1, v1) = waypoints[later - 1], waypoints[later]
    # Hermite's cubic, which has these positions and velocities at its ends.
    length = end - begin
    s = (time - begin) / length
    position = p0 + s * (length * v0 + s * (3 * (p1 - p0) - length * (2 * v0 + v1) + s * bend(p0, p1, v0, v1, length)))
    velocity = v0 + s * (2 * (3 * (p1 - p0) / length - 2 * v0 - v1) + 3 * s * bend(p0, p1, v0, v1, length) / length)
    return position, velocity


def bend(p0: float, p1: float, v0: float, v1: float, length: float) -> float:
    """The cubic's leading coefficient, in terms of the share of its length."""
    return 2 * (p0 - p1) + length * (v0 + v1)
