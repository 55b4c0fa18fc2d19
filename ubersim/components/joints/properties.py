"""The properties of joints that a document may set at the start, by the axis and the sort of joint that has them.

A joint takes these as bases, so that its XML has the properties that it really has in the physics engine, and no
others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ubersim.description.base import FARTHEST, HEAVIEST, JointDescription
from ubersim.description.component import Flaw, component
from ubersim.description.fields import angle, number, vector
from ubersim.geometry import Pose, Triple
from ubersim.protocol.properties import NEXT_AXIS, on_axis

FASTEST = 1e6
"""[rad/s or m/s]"""
STRONGEST = 1e9
"""[N m or N]"""
SOFTEST = 1e3
"""Largest constraint force mixing."""
LEAST_ANGLE = math.radians(1.0)
"""Between two axes of a joint: closer than that, they no longer span what they should."""

_STOP = "stop, from the initial pose"
_NO_STOP = "; at or beyond 180 degrees there is none"


def _meaning(name: str, axis: int, first: str) -> str:
    """What it means is said of the first axis; others refer to that."""
    return f"`{name}` of the {('second', 'third')[axis - 1]} axis" if axis else first


def vel(unit: str, axis: int = 0) -> Any:
    """Speed of a motor; axes count from 0."""
    meaning = _meaning("Vel", axis, "speed that the motor aims at")
    return number(meaning, unit=unit, low=-FASTEST, high=FASTEST, default=None, index=on_axis("Vel", axis))


def f_max(unit: str, axis: int = 0) -> Any:
    """Strength of a motor."""
    what = "torque" if unit == "N m" else "force"
    meaning = _meaning("FMax", axis, f"largest {what} of the motor; 0: no motor")
    return number(meaning, unit=unit, low=0, high=STRONGEST, default=None, index=on_axis("FMax", axis))


def share(name: str, first: str, axis: int = 0) -> Any:
    """A part of something."""
    tag = on_axis(name, axis)
    return number(_meaning(name, axis, first), tag=tag, low=0, high=1, default=None, index=tag)


def softness(name: str, of: str, axis: int = 0) -> Any:
    """How far a constraint gives way."""
    tag, meaning = on_axis(name, axis), _meaning(name, axis, f"softness (constraint force mixing) of {of}")
    return number(meaning, tag=tag, low=0, high=SOFTEST, default=None, index=tag)


def angular_stop(name: str, first: str, axis: int = 0) -> Any:
    """Where a joint that turns ends."""
    return angle(_meaning(name, axis, first), low=-360, high=360, default=None, index=on_axis(name, axis))


def linear_stop(name: str, first: str, axis: int = 0) -> Any:
    """Where a joint that slides ends."""
    meaning = _meaning(name, axis, first)
    return number(meaning, unit="m", low=-FARTHEST, high=FARTHEST, default=None, index=on_axis(name, axis))


def cfm(axis: int = 0) -> Any:
    """Softness of a motor."""
    return softness("CFM", "the motor", axis)


def fudge_factor(axis: int = 0) -> Any:
    """How a motor leaves a stop."""
    return share("FudgeFactor", "share of the motor's force that is used to leave a stop", axis)


def bounce(axis: int = 0) -> Any:
    """How stops throw back."""
    return share("Bounce", "restitution at the stops", axis)


def stop_erp(axis: int = 0) -> Any:
    """How soon a stop has its way."""
    return share("StopERP", "share of the error at a stop that is corrected per step", axis)


def stop_cfm(axis: int = 0) -> Any:
    """Softness of the stops."""
    return softness("StopCFM", "the stops", axis)


@component
class Resistance(JointDescription, abstract=True):
    """What a single axis does against all motion, whatever drives it."""

    damping: float = number(
        "force per speed that brakes it", unit="N m s/rad or N s/m", low=0, high=STRONGEST, default=0.0
    )
    friction: float = number("dry friction", unit="N m or N", low=0, high=STRONGEST, default=0.0)
    armature: float = number(
        "inertia of what turns along with it, such as a rotor behind a gear; none in a joint that closes a loop",
        unit="kg m^2 or kg",
        low=0,
        high=HEAVIEST,
        default=0.0,
    )

    def build(self, world: Any, owner: int, bodies: Mapping[str, Any], frame: Pose) -> Any:
        joint = super().build(world, owner, bodies, frame)
        if self.damping or self.friction or self.armature:
            joint.resist(self.damping, self.friction, self.armature)
        return joint


@component
class RotaryMotor(JointDescription, abstract=True):
    """A motor about the first axis."""

    vel: float | None = vel("rad/s")
    f_max: float | None = f_max("N m")
    cfm: float | None = cfm()


@component
class RotaryMotor2(JointDescription, abstract=True):
    """A motor about the second axis."""

    vel2: float | None = vel("rad/s", 1)
    f_max2: float | None = f_max("N m", 1)
    cfm2: float | None = cfm(1)


@component
class RotaryMotor3(JointDescription, abstract=True):
    """A motor about the third axis."""

    vel3: float | None = vel("rad/s", 2)
    f_max3: float | None = f_max("N m", 2)
    cfm3: float | None = cfm(2)


@component
class RotaryStops(JointDescription, abstract=True):
    """Stops of the first axis."""

    lo_stop: float | None = angular_stop("LoStop", f"lower {_STOP}{_NO_STOP}")
    hi_stop: float | None = angular_stop("HiStop", f"upper {_STOP}{_NO_STOP}")
    fudge_factor: float | None = fudge_factor()
    bounce: float | None = bounce()
    stop_erp: float | None = stop_erp()
    stop_cfm: float | None = stop_cfm()


@component
class RotaryStops2(JointDescription, abstract=True):
    """Stops of the second axis."""

    lo_stop2: float | None = angular_stop("LoStop", "", 1)
    hi_stop2: float | None = angular_stop("HiStop", "", 1)
    fudge_factor2: float | None = fudge_factor(1)
    bounce2: float | None = bounce(1)
    stop_erp2: float | None = stop_erp(1)
    stop_cfm2: float | None = stop_cfm(1)


@component
class LinearMotor(JointDescription, abstract=True):
    """A motor along the first axis."""

    vel: float | None = vel("m/s")
    f_max: float | None = f_max("N")
    cfm: float | None = cfm()


@component
class LinearMotor2(JointDescription, abstract=True):
    """A motor along the second axis."""

    vel2: float | None = vel("m/s", 1)
    f_max2: float | None = f_max("N", 1)
    cfm2: float | None = cfm(1)


@component
class LinearMotor3(JointDescription, abstract=True):
    """A motor along the third axis."""

    vel3: float | None = vel("m/s", 2)
    f_max3: float | None = f_max("N", 2)
    cfm3: float | None = cfm(2)


@component
class LinearStops(JointDescription, abstract=True):
    """Stops of the way along the first axis."""

    lo_stop: float | None = linear_stop("LoStop", f"lower {_STOP}")
    hi_stop: float | None = linear_stop("HiStop", f"upper {_STOP}")
    fudge_factor: float | None = fudge_factor()
    bounce: float | None = bounce()
    stop_erp: float | None = stop_erp()
    stop_cfm: float | None = stop_cfm()


@component
class LinearStops3(JointDescription, abstract=True):
    """Stops of the way along the third axis."""

    lo_stop3: float | None = linear_stop("LoStop", "", 2)
    hi_stop3: float | None = linear_stop("HiStop", "", 2)
    fudge_factor3: float | None = fudge_factor(2)
    bounce3: float | None = bounce(2)
    stop_erp3: float | None = stop_erp(2)
    stop_cfm3: float | None = stop_cfm(2)


@component
class Suspension(JointDescription, abstract=True):
    """The spring between a wheel and its vehicle, along the first axis."""

    suspension_erp: float | None = share("SuspensionERP", "share of the spring's deflection that is corrected per step")
    suspension_cfm: float | None = softness("SuspensionCFM", "the spring")


class CrossedAxes(JointDescription, abstract=True):
    """Two axes that must not be parallel."""

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if not independent(self.axes[:2]):
            yield Flaw("is parallel to Axis1", "axis2")


@component
class FreeAxes(JointDescription, abstract=True):
    """One to three axes, each with a motor: as many as the document gives."""

    holds_a_point = False

    axis1: Triple = vector("the first axis, fixed to body 1", direction=True, high=1e6)
    axis2: Triple | None = vector("the second axis, fixed to body 1", direction=True, high=1e6, default=None)
    axis3: Triple | None = vector("the third axis, fixed to body 1", direction=True, high=1e6, default=None)
    anchor_pos: Triple | None = vector(
        "where it is; it holds no point, this is for the reader", unit="m", high=FARTHEST, default=None
    )

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        given = {entry.attribute: getattr(self, entry.attribute) for entry in self.entries()}
        if given["axis3"] is not None and given["axis2"] is None:
            yield Flaw("Axis3 needs Axis2", "axis3")
        elif not independent(self.axes):
            yield Flaw("the axes are parallel, or all in one plane")
        for entry in self.entries():
            if entry.index is not None and given[entry.attribute] is not None:
                axis = entry.index // NEXT_AXIS
                if axis >= len(self.axes):
                    yield Flaw(f"there is no Axis{axis + 1} for it", entry.attribute)


def independent(axes: Sequence[Sequence[float]]) -> bool:
    """Whether two axes are not parallel, or three not in one plane, by at least `LEAST_ANGLE`."""
    units = np.array([np.divide(axis, math.hypot(*axis)) for axis in axes])
    spanned = float(np.linalg.det(units @ units.T))  # the squared area or volume that they span
    return len(axes) < 2 or spanned > math.sin(LEAST_ANGLE) ** 2
