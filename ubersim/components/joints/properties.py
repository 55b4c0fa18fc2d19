"""The properties of joints that a document may set at the start, by the axis and the sort of joint that has them.

A joint takes these as bases, so that its XML has the properties that it really has in the physics engine, and no
others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ubersim.description.base import FARTHEST, JointDescription
from ubersim.description.component import Flaw, component
from ubersim.description.fields import angle, number

FASTEST = 1e6
"""[rad/s or m/s]"""
STRONGEST = 1e9
"""[N m or N]"""
SOFTEST = 1e3
"""Largest constraint force mixing."""
LEAST_ANGLE = math.radians(1.0)
"""Between two axes of a joint: closer than that, they no longer span what they should."""

_STOP = "stop, from the initial pose; at or beyond 180 degrees there is none"
_FUDGE = "share of the motor's force that is used to leave a stop"
_BOUNCE = "restitution at the stops"
_CFM = "softness (constraint force mixing) of the motor"
_STOP_ERP = "share of the error at a stop that is corrected per step"
_STOP_CFM = "softness (constraint force mixing) of the stops"


@component
class RotaryMotor(JointDescription, abstract=True):
    """A motor about the first axis."""

    vel: float | None = number(
        "speed that the motor aims at", unit="rad/s", low=-FASTEST, high=FASTEST, default=None, index="Vel"
    )
    f_max: float | None = number(
        "largest torque of the motor; 0: no motor", unit="N m", low=0, high=STRONGEST, default=None, index="FMax"
    )
    cfm: float | None = number(_CFM, tag="CFM", low=0, high=SOFTEST, default=None, index="CFM")


@component
class RotaryMotor2(JointDescription, abstract=True):
    """A motor about the second axis."""

    vel2: float | None = number(
        "`Vel` of the second axis", unit="rad/s", low=-FASTEST, high=FASTEST, default=None, index="Vel2"
    )
    f_max2: float | None = number(
        "`FMax` of the second axis", unit="N m", low=0, high=STRONGEST, default=None, index="FMax2"
    )
    cfm2: float | None = number("`CFM` of the second axis", tag="CFM2", low=0, high=SOFTEST, default=None, index="CFM2")


@component
class RotaryMotor3(JointDescription, abstract=True):
    """A motor about the third axis."""

    vel3: float | None = number(
        "`Vel` of the third axis", unit="rad/s", low=-FASTEST, high=FASTEST, default=None, index="Vel3"
    )
    f_max3: float | None = number(
        "`FMax` of the third axis", unit="N m", low=0, high=STRONGEST, default=None, index="FMax3"
    )
    cfm3: float | None = number("`CFM` of the third axis", tag="CFM3", low=0, high=SOFTEST, default=None, index="CFM3")


@component
class RotaryStops(JointDescription, abstract=True):
    """Stops of the first axis."""

    lo_stop: float | None = angle(f"lower {_STOP}", low=-360, high=360, default=None, index="LoStop")
    hi_stop: float | None = angle(f"upper {_STOP}", low=-360, high=360, default=None, index="HiStop")
    fudge_factor: float | None = number(_FUDGE, low=0, high=1, default=None, index="FudgeFactor")
    bounce: float | None = number(_BOUNCE, low=0, high=1, default=None, index="Bounce")
    stop_erp: float | None = number(_STOP_ERP, tag="StopERP", low=0, high=1, default=None, index="StopERP")
    stop_cfm: float | None = number(_STOP_CFM, tag="StopCFM", low=0, high=SOFTEST, default=None, index="StopCFM")


@component
class RotaryStops2(JointDescription, abstract=True):
    """Stops of the second axis."""

    lo_stop2: float | None = angle("`LoStop` of the second axis", low=-360, high=360, default=None, index="LoStop2")
    hi_stop2: float | None = angle("`HiStop` of the second axis", low=-360, high=360, default=None, index="HiStop2")
    fudge_factor2: float | None = number(
        "`FudgeFactor` of the second axis", low=0, high=1, default=None, index="FudgeFactor2"
    )
    bounce2: float | None = number("`Bounce` of the second axis", low=0, high=1, default=None, index="Bounce2")
    stop_erp2: float | None = number(
        "`StopERP` of the second axis", tag="StopERP2", low=0, high=1, default=None, index="StopERP2"
    )
    stop_cfm2: float | None = number(
        "`StopCFM` of the second axis", tag="StopCFM2", low=0, high=SOFTEST, default=None, index="StopCFM2"
    )


@component
class LinearMotor(JointDescription, abstract=True):
    """A motor along the axis, and the stops of its way."""

    vel: float | None = number(
        "speed that the motor aims at", unit="m/s", low=-FASTEST, high=FASTEST, default=None, index="Vel"
    )
    f_max: float | None = number(
        "largest force of the motor; 0: no motor", unit="N", low=0, high=STRONGEST, default=None, index="FMax"
    )
    cfm: float | None = number(_CFM, tag="CFM", low=0, high=SOFTEST, default=None, index="CFM")
    lo_stop: float | None = number(
        "lower stop, from the initial pose", unit="m", low=-FARTHEST, high=FARTHEST, default=None, index="LoStop"
    )
    hi_stop: float | None = number(
        "upper stop, from the initial pose", unit="m", low=-FARTHEST, high=FARTHEST, default=None, index="HiStop"
    )
    fudge_factor: float | None = number(_FUDGE, low=0, high=1, default=None, index="FudgeFactor")
    bounce: float | None = number(_BOUNCE, low=0, high=1, default=None, index="Bounce")
    stop_erp: float | None = number(_STOP_ERP, tag="StopERP", low=0, high=1, default=None, index="StopERP")
    stop_cfm: float | None = number(_STOP_CFM, tag="StopCFM", low=0, high=SOFTEST, default=None, index="StopCFM")


@component
class LinearMotor3(JointDescription, abstract=True):
    """A motor along the third axis."""

    vel3: float | None = number(
        "`Vel` of the third axis", unit="m/s", low=-FASTEST, high=FASTEST, default=None, index="Vel3"
    )
    f_max3: float | None = number(
        "`FMax` of the third axis", unit="N", low=0, high=STRONGEST, default=None, index="FMax3"
    )
    cfm3: float | None = number("`CFM` of the third axis", tag="CFM3", low=0, high=SOFTEST, default=None, index="CFM3")


@component
class LinearStops3(JointDescription, abstract=True):
    """Stops of the way along the third axis."""

    lo_stop3: float | None = number(
        "`LoStop` of the third axis", unit="m", low=-FARTHEST, high=FARTHEST, default=None, index="LoStop3"
    )
    hi_stop3: float | None = number(
        "`HiStop` of the third axis", unit="m", low=-FARTHEST, high=FARTHEST, default=None, index="HiStop3"
    )
    fudge_factor3: float | None = number(
        "`FudgeFactor` of the third axis", low=0, high=1, default=None, index="FudgeFactor3"
    )
    bounce3: float | None = number("`Bounce` of the third axis", low=0, high=1, default=None, index="Bounce3")
    stop_erp3: float | None = number(
        "`StopERP` of the third axis", tag="StopERP3", low=0, high=1, default=None, index="StopERP3"
    )
    stop_cfm3: float | None = number(
        "`StopCFM` of the third axis", tag="StopCFM3", low=0, high=SOFTEST, default=None, index="StopCFM3"
    )


@component
class Suspension(JointDescription, abstract=True):
    """The spring between a wheel and its vehicle, along the first axis."""

    suspension_erp: float | None = number(
        "share of the spring's deflection that is corrected per step",
        tag="SuspensionERP",
        low=0,
        high=1,
        default=None,
        index="SuspensionERP",
    )
    suspension_cfm: float | None = number(
        "softness (constraint force mixing) of the spring",
        tag="SuspensionCFM",
        low=0,
        high=SOFTEST,
        default=None,
        index="SuspensionCFM",
    )


class CrossedAxes(JointDescription, abstract=True):
    """Two axes that must not be parallel."""

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if not independent(self.axes[:2]):
            yield Flaw("is parallel to Axis1", "axis2")


def independent(axes: Sequence[Sequence[float]]) -> bool:
    """Whether two axes are not parallel, or three not in one plane, by at least `LEAST_ANGLE`."""
    units = np.array([np.divide(axis, math.hypot(*axis)) for axis in axes])
    spanned = float(np.linalg.det(units @ units.T))  # the squared area or volume that they span
    return len(axes) < 2 or spanned > math.sin(LEAST_ANGLE) ** 2
