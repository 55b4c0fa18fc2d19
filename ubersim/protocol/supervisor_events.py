"""What a supervisor and its server say to each other, beside what robots' clients are told as well.

A picture of the truth is framed as a robot's frame is: `Timestamp`, then what there is to know, then `FrameEnd`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ubersim.geometry import Array
from ubersim.protocol.events import Error, FrameEnd, Timestamp
from ubersim.protocol.log_entries import LogEntry
from ubersim.protocol.welcome import Welcome


@dataclass(frozen=True, slots=True)
class Request:
    """Supervisor: something to be done."""

    verb: str
    """What; the name of a supervisor's command."""
    id: int = 0
    """The supervisor's own number for it, which the answer repeats."""
    frame: int | None = None
    """In which frame; None: as soon as possible."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """As JSON values; the command checks them."""
    size: int = field(default=0, compare=False)
    """Of its message, where it has been received [bytes]."""


@dataclass(frozen=True, slots=True)
class RequestDone:
    """Server: a request was executed."""

    id: int
    """The request's."""
    frame: int
    """In which frame that was."""
    reply: Mapping[str, Any] = field(default_factory=dict)
    """What the command has to say, as JSON values."""


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """Server: a request was refused, and has changed nothing."""

    id: int
    """The request's."""
    frame: int
    """In which frame that was."""
    reason: str
    """Why."""


@dataclass(frozen=True, slots=True)
class Legend:
    """Server: what the rows of the truth are; sent before the first truth that it is for."""

    number: int
    """Which legend it is; the truth repeats it."""
    bodies: tuple[str, ...]
    """Name of each row: `Robot/Body`, or an object of the world."""
    joints: tuple[tuple[str, int], ...]
    """`Robot/Joint` and axis of each joint value."""
    robots: Mapping[str, Any]
    """By name, what each robot's client was told in its welcome."""

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        joints = [list(joint) for joint in self.joints]
        return {"number": self.number, "bodies": list(self.bodies), "joints": joints, "robots": dict(self.robots)}


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Server: the state of every body and joint."""

    frame: int
    legend: int
    """Number of the legend."""
    standing: bool
    """Whether time stands still."""
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


@dataclass(frozen=True, slots=True)
class CapturedReading:
    """Server: the newest reading that a sensor has delivered."""

    name: str
    """`Robot/Sensor`."""
    captured: float
    """When it was captured [s]."""
    payload: bytes
    """As the robot's client got it."""


@dataclass(frozen=True, slots=True, eq=False)
class ContactPoints:
    """Server: the contacts of the last step."""

    positions: Array
    """[m], (C, 3)."""
    normals: Array
    """(C, 3)."""
    depths: Array
    """[m], (C,)."""


@dataclass(frozen=True, slots=True, eq=False)
class ContactForces:
    """Server: the contact forces on the bodies of one robot or object."""

    rows: Array
    """Where [m] and which force acts [N], (F, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class Pushes:
    """Server: the forces that supervisors let act now."""

    rows: Array
    """Where [m] and which force acts [N], (P, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class ComponentCommands:
    """Server: commands of one component, executed of late or under way."""

    name: str
    """`Robot/Component`."""
    rows: Array
    """Number of the property, when it was sent [s], when it was or will be executed [s], value, (C, 4)."""


@dataclass(frozen=True, slots=True)
class ForwardedDrawing:
    """Server: what a robot's client has drawn."""

    robot: str
    """Whose client."""
    payload: bytes
    """As it was sent; see `drawings`."""


@dataclass(frozen=True, slots=True)
class ForwardedLog:
    """Server: what a robot's program has logged."""

    robot: str
    """Whose program."""
    time: float
    """Of the frame that it thought about [s]."""
    entry: LogEntry


PictureExtra = CapturedReading | ContactPoints | ContactForces | Pushes | ComponentCommands
"""What a picture has if it is asked for."""
PictureEvent = Timestamp | Legend | Truth | PictureExtra | FrameEnd
"""What a picture of the truth is made of."""
ToSupervisor = Welcome | Error | RequestDone | RequestFailed | PictureEvent | ForwardedDrawing | ForwardedLog
