"""The truth: where chosen things are and how they move, which no robot can know, but a referee or a teacher may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount, SensorDescription
from ubersim.components.sensors.measurement import ImperfectDevice, Imperfection
from ubersim.description.component import Flaw, component
from ubersim.description.fields import text
from ubersim.description.value_types import is_name
from ubersim.geometry import Array
from ubersim.protocol.quantity import POSE, Quantities, Quantity

if TYPE_CHECKING:
    from ubersim.physics import Body

MOST_TARGETS = 64
SELF = "self"
"""The target that stands for the robot itself."""
_VALUES = 13


@component
class OracleSensor(SensorDescription):
    """Tells the true state of robots and of free objects of the world; `Noise` is that of the positions [m]."""

    dtype = "<f8"
    reading = (
        "for each target a row of 13 f64: position x y z of its centre of mass [m], quaternion w x y z, velocity "
        "x y z [m/s], angular velocity x y z [rad/s], in the world's axes; not a number while the target is absent"
    )
    quantities = POSE

    target: str = text(
        "names of robots (of their first body) or objects, or `Robot/Body`, separated by blanks; `self` is the robot "
        "that carries the sensor, whatever its name is on the server",
        longest=4096,
    )

    @property
    def targets(self) -> tuple[str, ...]:
        """The names, one by one."""
        return tuple(self.target.split())

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self.targets), _VALUES

    def quantities_on(self, joints: Mapping[str, Any]) -> Quantities:
        if len(self.targets) == 1:
            return POSE
        return tuple(Quantity(f"{target}.{each.name}", each.unit) for target in self.targets for each in POSE)

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        for target in self.targets:
            if not all(is_name(part) for part in target.split("/", 1)):
                yield Flaw(f"{target[:80]!r} is neither a name nor ROBOT/BODY", "target")
        if len(self.targets) > MOST_TARGETS:
            yield Flaw(f"names {len(self.targets)} targets; allowed are up to {MOST_TARGETS}", "target")

    def build(self, mount: Mount, rng: np.random.Generator) -> Oracle:
        return Oracle(mount, self.targets, Imperfection(rng, noise=self.noise))


class Oracle(ImperfectDevice):
    """The device."""

    def __init__(self, mount: Mount, targets: tuple[str, ...], imperfection: Imperfection) -> None:
        super().__init__(imperfection)
        self._there = mount.surroundings
        self._targets = targets
        self._own = mount.robot

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        return NativeSensor("TRUTH", _VALUES * len(self._targets), errors=(self.imperfection,), sight=self)

    def bodies(self) -> list[Body | None]:
        """Of its targets; None for one that is absent."""
        return [self._body(target) for target in self._targets]

    def sample(self) -> bytes:
        """The reading now."""
        bodies = self.bodies()
        rows = np.full((len(bodies), _VALUES), np.nan)
        known = [place for place, body in enumerate(bodies) if body is not None]
        if known:
            rows[known] = self._states([body.row for body in bodies if body is not None])
        rows[:, :3] = self.imperfection.of(rows[:, :3])
        return rows.astype("<f8").tobytes()

    def _body(self, target: str) -> Body | None:
        robot, _, part = target.partition("/")
        robot = self._own if robot == SELF else robot
        if robot in self._there.robots:
            bodies = self._there.robots[robot].bodies
            return bodies.get(part) if part else next(iter(bodies.values()))
        return None if part else self._there.objects.get(target)

    def _states(self, rows: list[int]) -> Array:
        """Of the bodies in these rows of the world's arrays, all at once: on a field of robots there are many."""
        world = self._there.world
        parts = (world.positions, world.quaternions, world.linear_velocities, world.angular_velocities)
        return np.concatenate([part[rows] for part in parts], axis=1)
