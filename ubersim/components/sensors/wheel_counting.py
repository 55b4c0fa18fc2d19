"""What odometry counts, and what way follows from it: two wheels, omni wheels, or the body's own motion."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ubersim.components.sensors.base import Mount
from ubersim.errors import WorldError
from ubersim.geometry import Pose, Triple, product

if TYPE_CHECKING:
    from ubersim.physics import Joint

FLAT = 1e-9
"""Below this share of its size a determinant is none: the wheels cannot tell all three parts of a motion."""


class CountedWheel:
    """How far a wheel has turned, over any number of turns."""

    def __init__(self, joint: Joint, axis: int, sign: float) -> None:
        """`sign`: of the joint's angle when the wheel turns in the sense that is counted."""
        self.joint, self.axis, self.sense = joint, axis, sign
        self.turned, self.rate = self._now()

    def _now(self) -> tuple[float, float]:
        return self.sense * self.joint.position(self.axis), self.sense * self.joint.rate(self.axis)

    def update(self, seconds: float) -> float:
        """The angle after so much time [rad]: of all that look alike, the one that the rates speak for."""
        angle, rate = self._now()
        expected = self.turned + (self.rate + rate) / 2 * seconds
        self.turned = expected + math.remainder(angle - expected, 2 * math.pi)
        self.rate = rate
        return self.turned


class Counting(ABC):
    """Numbers that grow as the robot goes."""

    size: int
    """How many there are."""
    width: int
    """Numbers in each row of `state`."""

    @abstractmethod
    def update(self, seconds: float) -> list[float]:
        """What they are after so much time."""

    @abstractmethod
    def way(self, grown: Sequence[float]) -> Triple:
        """To the right and forward [m], and turning to the left [rad], for what they have grown by."""

    @abstractmethod
    def state(self) -> list[Any]:
        """What a snapshot keeps."""

    @abstractmethod
    def restore(self, state: list[Any]) -> None:
        """Goes on from what `state` returned."""


class WheelCounting(Counting):
    """Numbers that are angles of wheels."""

    width = 2
    radius = track = 0.0
    """As far as they make the way; else the solution does."""

    def __init__(self, wheels: list[CountedWheel]) -> None:
        self.wheels = wheels
        self.size = len(wheels)

    @property
    def solution(self) -> list[float]:
        """What makes a motion of the angles of omni wheels, row by row."""
        return []

    def update(self, seconds: float) -> list[float]:
        return [wheel.update(seconds) for wheel in self.wheels]

    def state(self) -> list[Any]:
        return [[wheel.turned, wheel.rate] for wheel in self.wheels]

    def restore(self, state: list[Any]) -> None:
        for wheel, (turned, rate) in zip(self.wheels, state, strict=True):
            wheel.turned, wheel.rate = turned, rate


class TwoWheels(WheelCounting):
    """The left and the right wheel of a differential drive, or of a car's rear axle."""

    def __init__(self, mount: Mount, joints: Sequence[Joint], axis: int, radius: float, track: float) -> None:
        right = mount.pose_in_world().rotation[:, 0]
        wheels = []
        for joint in joints:
            # Rolling forward turns a wheel about the axis that points left; the joint tells how body 1 turns.
            toward = -math.copysign(1.0, float(product(right, joint.axis(axis))))
            wheels.append(CountedWheel(joint, axis, toward * _sense(mount, joint)))
        super().__init__(wheels)
        self.radius, self.track = radius, track

    def way(self, grown: Sequence[float]) -> Triple:
        left, right = (self.radius * angle for angle in grown)
        return 0.0, (left + right) / 2, (right - left) / self.track


class OmniWheels(WheelCounting):
    """Three omni wheels or more: the motion that fits the angles of all of them best."""

    def __init__(self, mount: Mount, joints: Sequence[Joint], axis: int, radius: float) -> None:
        super().__init__([CountedWheel(joint, axis, _sense(mount, joint)) for joint in joints])
        rows = [_row(mount, joint, axis, radius) for joint in joints]
        self._solution = _pseudo_inverse(rows)
        if self._solution is None:
            raise WorldError("these wheels cannot tell a motion sideways from one forward, or from turning")

    def way(self, grown: Sequence[float]) -> Triple:
        assert self._solution is not None
        right, forward, turn = (_sum(row, grown) for row in self._solution)
        return right, forward, turn

    @property
    def solution(self) -> list[float]:
        assert self._solution is not None
        return [part for row in self._solution for part in row]


class BodyMotion(Counting):
    """The way that the sensor itself goes in the plane, for robots that move as they are told."""

    size = width = 3

    def __init__(self, mount: Mount) -> None:
        self.mount = mount
        self._last = self._place()
        self._sum = [0.0, 0.0, 0.0]

    def _place(self) -> Triple:
        pose: Pose = self.mount.pose_in_world()
        x, y, _ = pose.position.tolist()
        return x, y, math.atan2(-float(pose.rotation[0, 1]), float(pose.rotation[1, 1]))

    def update(self, seconds: float) -> list[float]:
        x, y, heading = self._last
        self._last = self._place()
        turn = math.remainder(self._last[2] - heading, math.tau)
        middle, half = heading + turn / 2, turn / 2
        stretch = half / math.sin(half) if half else 1.0
        east, north = stretch * (self._last[0] - x), stretch * (self._last[1] - y)
        right = east * math.cos(middle) + north * math.sin(middle)
        forward = north * math.cos(middle) - east * math.sin(middle)
        self._sum = [whole + part for whole, part in zip(self._sum, (right, forward, turn), strict=True)]
        return list(self._sum)

    def way(self, grown: Sequence[float]) -> Triple:
        right, forward, turn = grown
        return right, forward, turn

    def state(self) -> list[Any]:
        return [list(self._last), list(self._sum)]

    def restore(self, state: list[Any]) -> None:
        x, y, heading = state[0]
        self._last, self._sum = (x, y, heading), list(state[1])


def _sum(row: Sequence[float], grown: Sequence[float]) -> float:
    """One product after the other: newer Pythons' `sum` rounds in a way of its own."""
    total = 0.0
    for part, angle in zip(row, grown, strict=True):
        total += part * angle
    return total


def _sense(mount: Mount, joint: Joint) -> float:
    """1 if the joint tells how the wheel turns, -1 if it tells how the robot does."""
    return 1.0 if joint.bodies[0] is not mount.body else -1.0


def _row(mount: Mount, joint: Joint, axis: int, radius: float) -> Triple:
    """By how much a wheel turns about its axle per way to the right, forward, and around; seen from the sensor."""
    frame = mount.pose_in_world()
    wheel = next(body for body in joint.bodies if body is not None and body is not mount.body)
    x, y, _ = product(frame.rotation.T, wheel.position - frame.position).tolist()
    axle_x, axle_y, _ = product(frame.rotation.T, joint.axis(axis)).tolist()
    across, along = axle_y / radius, -axle_x / radius  # a wheel rolls along axle x up
    return across, along, x * along - y * across


def _pseudo_inverse(rows: Sequence[Triple]) -> tuple[tuple[float, ...], ...] | None:
    """(M^T M)^-1 M^T, in a fixed order of sums; None if M has not the rank 3."""
    a, b, c, d, e, f = (
        sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    )
    cofactors = (
        (d * f - e * e, c * e - b * f, b * e - c * d),
        (c * e - b * f, a * f - c * c, b * c - a * e),
        (b * e - c * d, b * c - a * e, a * d - b * b),
    )
    determinant = a * cofactors[0][0] + b * cofactors[0][1] + c * cofactors[0][2]
    if not determinant > FLAT * a * d * f:
        return None
    return tuple(
        tuple(sum(part * row[i] for i, part in enumerate(line)) / determinant for row in rows) for line in cofactors
    )
