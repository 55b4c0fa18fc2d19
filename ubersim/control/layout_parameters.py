"""A layout's parameters and logs, connected with those of its robot, if that has any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from ubersim.control.parameters import DebugTable, Declaration, Setting
from ubersim.control.program import ProgramRobot
from ubersim.errors import LocalProtocolError


class RobotParameter(Protocol):
    """A parameter as a robot keeps it: people and supervisors change its value."""

    @property
    def value(self) -> Any:
        """What it is now."""


@runtime_checkable
class TunableRobot(Protocol):
    """A robot whose program can be tuned and watched from outside."""

    def parameter(self, name: str, value: Setting, **limits: Any) -> RobotParameter:
        """Declares a parameter: `low` and `high` of a number, `choices` of a text."""

    def log(self, name: str, value: Any) -> None:
        """Tells what the program thinks."""


class LayoutParameters:
    """Every parameter of the layout; what is changed, here or through the robot, reaches modules in the next frame."""

    def __init__(self, robot: ProgramRobot) -> None:
        self._robot = robot if isinstance(robot, TunableRobot) else None
        self._table = DebugTable()
        self._of_robot: dict[str, RobotParameter] = {}
        self._told: dict[str, Setting] = {}  # by the robot, last
        self._seen: dict[str, Setting] = {}  # by the modules, last

    @property
    def values(self) -> dict[str, Setting]:
        """By name, as they are now."""
        return {name: tuned.value for name, tuned in self._table.values.items()}

    def declare(self, declarations: Iterable[Declaration]) -> None:
        """Modules have declared parameters."""
        for known in declarations:
            limits = {"low": known.low, "high": known.high, "choices": known.choices}
            given = {name: limit for name, limit in limits.items() if limit is not None}
            self._table.declare(known.name, known.value, low=known.low, high=known.high, choices=known.choices)
            self._seen.setdefault(known.name, known.value)
            self._declare_to_robot(known.name, known.value, given)

    def _declare_to_robot(self, name: str, value: Setting, limits: dict[str, Any]) -> None:
        if self._robot is None or name in self._of_robot:
            return
        try:
            self._of_robot[name] = self._robot.parameter(name, value, **limits)
            self._told[name] = value
        except LocalProtocolError:  # it speaks a version of the protocol without parameters
            self._robot = None

    def set(self, name: str, value: Setting) -> None:
        """Changes a parameter, from the next frame on."""
        self._table.set(name, value)

    def log(self, logged: Iterable[tuple[str, Any]]) -> None:
        """Modules have told something."""
        if self._robot is not None:
            for name, value in logged:
                self._robot.log(name, value)

    def changes(self) -> dict[str, Setting]:
        """What is another since the last time."""
        for name, of_robot in self._of_robot.items():
            if of_robot.value != self._told[name]:
                self._told[name] = of_robot.value
                self._table.set(name, of_robot.value)
        changed = {name: value for name, value in self.values.items() if self._seen.get(name) != value}
        self._seen |= changed
        return changed
