"""What a policy's numbers do: each is one property of a motor or joint, or the same one of several, between limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ubersim.components.commandable import single
from ubersim.description.base import JointDescription
from ubersim.errors import UberSimError
from ubersim.simulation.robot import Command, Robot

Properties = str | tuple[str, ...]
ActionInput = Sequence[Properties] | Mapping[Properties, tuple[float, float]]
"""`Component.Property` of each number, with what -1 and +1 mean; without that, what the robot's document says."""

_WIDEST = 1e3
"""Limits of a property that are farther apart are there to keep numbers sane, and nothing to explore."""


class ActionMap:
    """From -1 to +1 in a policy's words, from limit to limit in the robot's."""

    def __init__(self, robot: Robot, action: ActionInput) -> None:
        limits = dict(action) if isinstance(action, Mapping) else {}
        self.names: list[str] = []
        self._targets: list[list[tuple[str, int]]] = []
        self._middle: list[float] = []
        self._half: list[float] = []
        for given in action:
            properties = (given,) if isinstance(given, str) else given
            targets = [_target(robot, name) for name in properties]
            low, high = limits.get(given) or _own_limits(robot, *targets[0], properties[0])
            if not -math.inf < low < high < math.inf:
                raise UberSimError(f"the limits of the action {properties[0]} are {low} and {high}")
            self.names.append(" ".join(properties))
            self._targets.append(targets)
            self._middle.append((low + high) / 2)
            self._half.append((high - low) / 2)
        if not self.names:
            raise UberSimError("a robot that cannot act learns nothing: `action` names no property")

    def __len__(self) -> int:
        return len(self.names)

    def numbers(self, action: Any) -> list[float]:
        """The policy's numbers, checked; what lies beyond -1 and +1 counts as these."""
        given = action.tolist() if isinstance(action, np.ndarray) else np.asarray(action).tolist()
        if not isinstance(given, list) or len(given) != len(self.names):
            shape = np.shape(action)
            raise UberSimError(f"an action of shape {shape} came where {(len(self.names),)} is due: {self._listing()}")
        for name, number in zip(self.names, given, strict=True):
            if not isinstance(number, int | float) or math.isnan(number):
                raise UberSimError(f"the action for {name} is {number!r:.80}, which is no number")
        return [min(1.0, max(-1.0, float(number))) for number in given]

    def commands(self, numbers: Sequence[float]) -> list[Command]:
        """What these numbers command, in single precision, as on the wire."""
        commands: list[Command] = []
        for targets, middle, half, number in zip(self._targets, self._middle, self._half, numbers, strict=True):
            value = single(middle + half * number)
            commands += [(component, prop, value) for component, prop in targets]
        return commands

    def _listing(self) -> str:
        return ", ".join(self.names)


def _target(robot: Robot, name: str) -> tuple[str, int]:
    component, _, prop = name.rpartition(".")
    if not component:
        raise UberSimError(f"the action {name!r} is not of the form Component.Property")
    return robot.numbered(component, prop)


def _own_limits(robot: Robot, component: str, number: int, name: str) -> tuple[float, float]:
    """What the robot's document says about how far this goes."""
    about: Any = robot.components[component].description
    if name.endswith(".Target") and isinstance(joint := getattr(about, "joint", None), str):
        described: JointDescription = next(each for each in robot.description.joints if each.name == joint)
        low, high = (getattr(described, stop, None) for stop in ("lo_stop", "hi_stop"))
        if low is not None and high is not None and high - low < _WIDEST:
            return low, high
    limits = about.limits.get(number)
    if limits is not None and limits[1] - limits[0] < _WIDEST:
        return float(limits[0]), float(limits[1])
    raise UberSimError(f"the document says nothing about the limits of {name}: give them, as in {{{name!r}: (-1, 1)}}")
