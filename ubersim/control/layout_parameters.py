"""A layout's parameters and logs, connected with those of its robot, if that has any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from ubersim.control.parameters import DebugTable, Logged
from ubersim.control.program import ProgramRobot
from ubersim.errors import ProtocolVersionError
from ubersim.protocol.log_entries import LogLevel
from ubersim.protocol.parameters import Declaration, ParameterValue
from ubersim.protocol.program_parameters import Parameter


@runtime_checkable
class TunableRobot(Protocol):
    """A robot whose program can be tuned from outside."""

    def declare(self, made: Declaration) -> Parameter:
        """Declares a parameter: people and supervisors change its value."""


@runtime_checkable
class ListeningRobot(Protocol):
    """A robot that passes on what its program thinks."""

    def log(self, name: str, value: Any, *, level: LogLevel = "info", space: str = "") -> None:
        """Tells something of that name."""


class LayoutParameters:
    """Every parameter of the layout; what is changed, here or through the robot, reaches modules in the next frame."""

    def __init__(self, robot: ProgramRobot) -> None:
        self._tunable = robot if isinstance(robot, TunableRobot) else None
        self._listening = robot if isinstance(robot, ListeningRobot) else None
        self._table = DebugTable()
        self._of_robot: dict[str, Parameter] = {}
        self._told: dict[str, ParameterValue] = {}  # by the robot, last
        self._seen: dict[str, ParameterValue] = {}  # by the modules, last

    @property
    def values(self) -> dict[str, ParameterValue]:
        """By name, as they are now."""
        return {name: parameter.value for name, parameter in self._table.parameters.items()}

    def declare(self, declarations: Iterable[Declaration]) -> None:
        """Modules have declared parameters."""
        for made in declarations:
            self._table.declare(made)
            self._seen.setdefault(made.name, made.value)
            self._declare_to_robot(made)

    def _declare_to_robot(self, made: Declaration) -> None:
        if self._tunable is None or made.name in self._of_robot:
            return
        try:
            self._of_robot[made.name] = self._tunable.declare(made)
            self._told[made.name] = made.value
        except ProtocolVersionError:  # it speaks a version of the protocol without parameters
            self._tunable = None

    def set(self, name: str, value: ParameterValue) -> None:
        """Changes a parameter, from the next frame on."""
        self._table.set(name, value)

    def log(self, logged: Iterable[Logged]) -> None:
        """Modules have told something."""
        if self._listening is None:
            return
        try:
            for name, value, level, space in logged:
                self._listening.log(name, value, level=level, space=space)
        except ProtocolVersionError:  # it speaks a version of the protocol without logs
            self._listening = None

    def changes(self) -> dict[str, ParameterValue]:
        """What is another since the last time."""
        for name, of_robot in self._of_robot.items():
            if of_robot.value != self._told[name]:
                self._told[name] = of_robot.value
                self._table.set(name, of_robot.value)
        changed = {name: value for name, value in self.values.items() if self._seen.get(name) != value}
        self._seen |= changed
        return changed
