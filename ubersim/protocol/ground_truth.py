"""The truth about a simulation at one instant, as a supervisor receives it: arrays, and names for their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ubersim.errors import UberSimError
from ubersim.geometry import Array, matrix_from_quaternion


@dataclass(frozen=True)
class BodyState:
    """One body."""

    position: Array
    """Of its centre of mass [m]."""
    quaternion: Array
    """(w, x, y, z)."""
    linear: Array
    """Velocity of the centre of mass [m/s]."""
    angular: Array
    """In world axes [rad/s]."""

    @property
    def rotation(self) -> Array:
        """The rotation matrix: its columns are the body's axes."""
        return matrix_from_quaternion(self.quaternion)


@dataclass(frozen=True)
class GroundTruth:
    """Everything at one instant."""

    time: float
    """[s]"""
    frame: int
    standing: bool
    """Whether time stands still."""
    legend: Mapping[str, Any]
    """`bodies`: names of the rows; `joints`: name and axis of each value; `robots`: their sensors, joints, motors."""
    positions: Array
    """Of the bodies' centres of mass [m], (N, 3)."""
    quaternions: Array
    """(w, x, y, z), (N, 4)."""
    linear: Array
    """Velocities [m/s], (N, 3)."""
    angular: Array
    """In world axes [rad/s], (N, 3)."""
    joint_positions: Array
    """[rad or m], (J,); NaN for a joint that measures none."""
    joint_rates: Array
    """[rad/s or m/s], (J,)."""
    readings: dict[str, Any] = field(default_factory=dict)
    """`Robot/Sensor`: the newest readings of the sensors that were asked for."""
    captured: dict[str, float] = field(default_factory=dict)
    """When those were captured [s]."""
    forces: Array | None = None
    """Contacts of the robot that was asked for: where [m], and the force on its body [N]; (N, 6)."""
    contacts: Array | None = None
    """If asked for: position [m], normal and depth [m] of each, (C, 7)."""
    pushes: Array | None = None
    """If asked for: forces that supervisors let act now: where [m], and the force [N]; (P, 6)."""
    commands: dict[str, Array] = field(default_factory=dict)
    """`Robot/Component`, of those asked for: commands executed of late, then those under way.

    Each is the number of the property, when it was sent and executed, or will be [s], and the value; (C, 4).
    """

    def __getitem__(self, body: str) -> BodyState:
        """`Robot/Body`, or an object of the world; a robot's name alone is its first body."""
        names = self.legend["bodies"]
        row = next((row for row, name in enumerate(names) if name == body or name.startswith(f"{body}/")), None)
        if row is None:
            raise UberSimError(f"there is no body {body!r}; there are {', '.join(names) or 'none'}")
        return BodyState(self.positions[row], self.quaternions[row], self.linear[row], self.angular[row])

    def joint(self, name: str, axis: int = 0) -> tuple[float, float]:
        """Position [rad or m] and rate of `Robot/Joint`."""
        try:
            place = self.legend["joints"].index([name, axis])
        except ValueError:
            raise UberSimError(f"there is no joint {name!r} with an axis {axis}") from None
        return float(self.joint_positions[place]), float(self.joint_rates[place])
