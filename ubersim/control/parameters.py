"""What can be changed in modules while they run, and what they tell: kept per process, carried along with packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ubersim.errors import UberSimError
from ubersim.protocol.log_entries import LogLevel
from ubersim.protocol.parameters import Declaration, ParameterValue
from ubersim.protocol.program_parameters import Parameter, ParameterDeclarer
from ubersim.protocol.suggestion import suggestion

Logged = tuple[str, Any, LogLevel, str]
"""What a module has told: name, value, level, and the space of points and drawings."""


class DebugTable(ParameterDeclarer):
    """The parameters of one process's modules, and what they log."""

    def __init__(self) -> None:
        self.parameters: dict[str, Parameter] = {}
        """By name."""
        self._news: list[Declaration] = []
        self._logged: list[Logged] = []

    def declare(self, made: Declaration) -> Parameter:
        """One more parameter; one that is there already keeps its value."""
        if made.name not in self.parameters:
            self.parameters[made.name] = Parameter(made, made.value)
            self._news.append(made)
        elif self.parameters[made.name].declaration != made:
            raise UberSimError(f"the parameter {made.name!r} is declared twice, and not alike")
        return self.parameters[made.name]

    def set(self, name: str, value: ParameterValue) -> None:
        """Changes a parameter, from now on."""
        if name not in self.parameters:
            raise UberSimError(f"there is no parameter {name!r}; {suggestion(name, self.parameters)}")
        if flaw := self.parameters[name].declaration.flaw(value):
            raise UberSimError(flaw)
        self.parameters[name].value = value

    def update(self, values: Mapping[str, ParameterValue]) -> None:
        """Takes over those of the values that are parameters here."""
        for name in values.keys() & self.parameters.keys():
            self.set(name, values[name])

    def log(self, name: str, value: Any, level: LogLevel, space: str) -> None:
        """Keeps it until `take`."""
        self._logged.append((name, value, level, space))

    def take(self) -> tuple[list[Declaration], list[Logged]]:
        """What was declared and logged since the last time."""
        news, logged = self._news, self._logged
        self._news, self._logged = [], []
        return news, logged
