"""A direct-current motor with its gear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ubersim.components.joints.properties import STRONGEST
from ubersim.components.motors.clamp import LEAST_DAMPING, UNLIMITED_FORCE, Clamp
from ubersim.components.motors.controller import Controller
from ubersim.components.native_forms import NativeMotor
from ubersim.description.base import JointDescription
from ubersim.description.component import Flaw, component
from ubersim.description.fields import number
from ubersim.description.motors import AxisMotor

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint

HIGHEST = 1e5
"""[V]"""


@component
class DCMotor(AxisMotor):
    """A brushed motor behind a gear: current = (voltage - back-EMF) / resistance, torque = constant * current."""

    voltage: float = number("what is applied to it", unit="V", low=-HIGHEST, high=HIGHEST, default=0.0, index="Voltage")
    nominal_voltage: float = number(
        "the largest voltage that can be applied", unit="V", low=0, above=True, high=HIGHEST
    )
    resistance: float = number("of the winding and the leads", unit="ohm", low=0, above=True, high=1e6)
    torque_constant: float = number("torque of the shaft per current", unit="N m/A", low=0, above=True, high=1e4)
    back_emf: float | None = number(
        "voltage that the shaft induces per speed; without it, the torque constant, which it is by nature",
        tag="BackEMF",
        unit="V s/rad",
        low=0,
        above=True,
        high=1e4,
        default=None,
    )
    gear: float = number(
        "turns of the shaft per turn of the joint; along a slider, rad/m", low=0, above=True, high=1e6, default=1.0
    )
    no_load_speed: float | None = number(
        "of the shaft at nominal voltage; what it lacks to nominal voltage / back-EMF is lost to viscous friction",
        unit="rad/s",
        low=0,
        above=True,
        high=1e6,
        default=None,
    )
    max_current: float | None = number(
        "the most that the amplifier gives; without it, whatever flows", unit="A", low=0, high=1e6, default=None
    )
    friction: float = number(
        "dry friction of motor and gear, at the joint; for joints that turn",
        unit="N m",
        low=0,
        high=STRONGEST,
        default=0.0,
    )

    @property
    def induction(self) -> float:
        """Voltage per speed of the shaft [V s/rad]."""
        return self.torque_constant if self.back_emf is None else self.back_emf

    @property
    def viscosity(self) -> float:
        """Viscous friction of the shaft [N m s/rad]."""
        if self.no_load_speed is None:
            return 0.0
        return self.torque_constant * (self.nominal_voltage / self.no_load_speed - self.induction) / self.resistance

    @property
    def damping(self) -> float:
        """By how much the torque at the joint falls with its speed [N m s/rad]."""
        shaft = self.torque_constant * self.induction / self.resistance + self.viscosity
        return max(shaft * self.gear**2, LEAST_DAMPING)

    def stall_torque(self, voltage: float) -> float:
        """What it exerts at the joint at standstill [N m]."""
        return self.gear * self.torque_constant * voltage / self.resistance

    @property
    def strength(self) -> float:
        """At standstill, with all the voltage or current that it gets."""
        most = self.stall_torque(self.nominal_voltage)
        return most if self.max_current is None else min(most, self.gear * self.torque_constant * self.max_current)

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if self.viscosity < 0:
            fastest = self.nominal_voltage / self.induction
            yield Flaw(f"is more than nominal voltage / back-EMF, which is {fastest:g} rad/s", "no_load_speed")

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        axis = joints[self.joint].driven_axis(self.axis - 1)
        if self.friction:
            axis.add_friction(self.friction)
        return DCController(self, axis)


class DCController(Controller):
    """Torque falls linearly with speed, as that of the joint's own soft motor does: nothing is left to do per frame."""

    voltage: float

    def __init__(self, description: DCMotor, axis: DrivenAxis) -> None:
        super().__init__(description)
        self._about = description
        self._clamp = Clamp(axis)
        self._clamp.damping = description.damping
        if description.max_current is not None:
            strongest = description.gear * description.torque_constant * description.max_current
            self._clamp.force = min(strongest, UNLIMITED_FORCE)

    def native(self) -> NativeMotor:
        """As the native lane knows it."""
        about, clamp = self._about, self._clamp
        per_current = about.gear * about.torque_constant
        constants = (about.nominal_voltage, per_current, about.resistance, clamp.damping, clamp.force)
        return NativeMotor("DC", ("voltage",), clamp.axis, constants=constants)

    def engage(self) -> None:
        most = self._about.nominal_voltage
        voltage = min(max(self.voltage, -most), most)
        self._clamp.engage()
        self._clamp.aim(self._about.stall_torque(voltage) / self._about.damping)
