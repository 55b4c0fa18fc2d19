"""The family of motors: what drives joints by a law of its own, on top of the joints' properties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from ubersim.description.base import JointDescription
from ubersim.description.commanded import CommandedComponent
from ubersim.description.component import component
from ubersim.description.fields import integer, label, latency, reference
from ubersim.timing.latency import Constant, LatencyModel


@component
class ActuatorDescription(CommandedComponent, ABC, abstract=True):
    """Something that programs command at run time, by its name and the numbers of its properties."""

    name: str = label("name, unique in the document")
    latency: LatencyModel = latency(
        "time that commands take inside it, on top of the client's latency", default=Constant(0.0)
    )


@component
class MotorDescription(ActuatorDescription, ABC, family="motors"):
    """Drives one joint or several; its properties are set at run time like those of joints."""

    @abstractmethod
    def driven(self) -> Iterable[tuple[str, int]]:
        """The joints that it drives by name, with the axes of each, from 0; an axis has one motor at most."""

    @property
    def strength(self) -> float | None:
        """The most that it exerts on an axis [N m or N]; None: that is not known."""
        return getattr(self, "torque_limit", None)

    @abstractmethod
    def build(self, joints: Mapping[str, Any], described: Mapping[str, JointDescription], step: float) -> Any:
        """Its controller: the world's joints and their descriptions by name, the length of a frame [s]."""


@component
class AxisMotor(MotorDescription, ABC, abstract=True):
    """Drives one axis of one joint."""

    joint: str = reference("the joint that it drives", to=JointDescription)
    axis: int = integer("which of the joint's axes", low=1, high=3, default=1)

    def driven(self) -> Iterable[tuple[str, int]]:
        return ((self.joint, self.axis - 1),)
