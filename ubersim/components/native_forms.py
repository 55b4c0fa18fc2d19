"""How the native lane is told of components that it knows; what has no such form, it leaves to Python.

The classes of the components stay the specification: the kernel's lane_sensors.c, lane_motors.c and so on do the same
arithmetic in the same order, and draw from the same generators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    import numpy as np
    from numpy.typing import NDArray

    from ubersim.components.drives.chassis import Chassis
    from ubersim.components.sensors.measurement import Imperfection
    from ubersim.geometry import Array
    from ubersim.physics import Body, DrivenAxis, Joint, RayBatch

SensorKind = Literal[
    "TILT", "HEADING", "RATE", "FORCE", "IMU", "AXIS", "REPORT", "SCAN", "ECHO", "WAY", "PATH", "TOUCH", "BUMP",
    "TRUTH",
]  # fmt: skip
MotorKind = Literal["SERVO", "VELOCITY", "DC", "KICK", "TWIST", "VEHICLE", "DIFFERENTIAL", "HOLONOMIC", "SPATIAL"]


@dataclass(frozen=True)
class NativeTarget:
    """What a command sets, on a joint."""

    joint: Joint
    parameter: int
    """The kernel's own number."""
    low: float
    high: float
    zero: float = 0.0
    """Is subtracted from the value."""


class NativeMemory(Protocol):
    """What a device carries from reading to reading, as numbers, in the order of lane_api.h."""

    def remembered(self) -> list[float]:
        """All of it."""

    def remember(self, numbers: list[float]) -> None:
        """Goes on from there."""


class NativePartners(Protocol):
    """Whom a device knows so far of those that may touch it; one whom it does not know is a reason to ask it."""

    def known(self) -> tuple[NDArray[np.int64], Array]:
        """Ids of geoms in order, and the number of each in the legend, -1 if it is not felt."""


class NativeSight(Protocol):
    """Whom a device looks at, in the order of its readings; None: who is not there now."""

    def bodies(self) -> Sequence[Body | None]:
        """As long as nobody comes or goes."""


@dataclass(frozen=True)
class NativeSensor:
    """A device whose readings are arithmetic on the kernel's state; `numbers` are as lane_api.h has them."""

    kind: SensorKind
    values: int
    """Of a reading."""
    numbers: Sequence[float] = ()
    errors: Sequence[Imperfection] = ()
    body: Body | None = None
    joint: Joint | None = None
    axis: int = 0
    rays: RayBatch | None = None
    wheels: Sequence[Joint] = ()
    constants: Sequence[float] = ()
    memory: NativeMemory | None = None
    partners: NativePartners | None = None
    sight: NativeSight | None = None

    @property
    def size(self) -> int:
        """Bytes of a reading: values are f32, but for the state of a switch, and the truth."""
        return 1 if self.kind == "BUMP" else (8 if self.kind == "TRUTH" else 4) * self.values


@dataclass(frozen=True)
class NativeWheel:
    """A wheel of a drive; `numbers` are as lane_api.h has them."""

    numbers: Sequence[float]
    roll: DrivenAxis | None
    """None: nothing drives it."""
    swing: DrivenAxis | None = None
    """What steers it, if anything does."""
    hinge: str = ""
    """Where the motor on this joint is told instead of the joint: its name."""


@dataclass(frozen=True)
class NativeMotor:
    """A motor's law on one axis, or a drive's on several, or on the bodies of a chassis."""

    kind: MotorKind
    attributes: Sequence[str]
    """Of the controller: what commands set, in the order of lane_api.h."""
    axis: DrivenAxis | None = None
    memory: Sequence[str] = ()
    """Attributes of the controller: what the law carries from frame to frame, in that order, too."""
    wraps: bool = False
    """Whether angles a whole turn apart are the same to it."""
    constants: Sequence[float] = ()
    """What follows the attributes there, and no command sets."""
    wheels: Sequence[NativeWheel] = ()
    chassis: Chassis | None = None


@runtime_checkable
class NativelySampled(Protocol):
    """A device that the lane may know."""

    def native(self) -> NativeSensor | None:
        """Its form; None where it is set up in a way that only Python knows."""


@runtime_checkable
class NativelyDriven(Protocol):
    """A controller that the lane may know."""

    def native(self) -> NativeMotor | None:
        """Its form; None while it does something that only Python knows."""
