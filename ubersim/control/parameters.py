"""What can be changed in modules while they run, and what they tell: kept per process, carried along with packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ubersim.errors import UberSimError
from ubersim.protocol.suggestion import suggestion

Setting = bool | float | str


@dataclass(frozen=True)
class Declaration:
    """A parameter as it was declared."""

    name: str
    value: Setting
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] | None = None

    def refusal(self, value: Setting) -> str | None:
        """Why it cannot have a value; None: it can."""
        if self.choices is not None:
            return None if value in self.choices else f"it is one of {', '.join(self.choices)}"
        if isinstance(self.value, str) or isinstance(value, str):
            return None if isinstance(self.value, str) and isinstance(value, str) else "it is of another kind"
        if isinstance(self.value, bool) or isinstance(value, bool):
            return None if isinstance(self.value, bool) and isinstance(value, bool) else "it is of another kind"
        too_low, too_high = self.low is not None and value < self.low, self.high is not None and value > self.high
        if too_low or too_high or value != value:
            return f"it is between {self.low} and {self.high}"
        return None


class TunedValue:
    """A parameter in a module's hands."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.value: Any = declaration.value
        """What it is in this cycle."""


class DebugTable:
    """The parameters of one process's modules, and what they log."""

    def __init__(self) -> None:
        self.values: dict[str, TunedValue] = {}
        self._news: list[Declaration] = []
        self._logged: list[tuple[str, Any]] = []

    def declare(
        self,
        name: str,
        value: Setting,
        *,
        low: float | None = None,
        high: float | None = None,
        choices: Sequence[str] | None = None,
    ) -> TunedValue:
        """A parameter of that name; one that is there already keeps its value."""
        declaration = Declaration(name, value, low, high, None if choices is None else tuple(choices))
        if (reason := declaration.refusal(value)) is not None:
            raise UberSimError(f"the parameter {name!r} cannot begin as {value!r}: {reason}")
        if name not in self.values:
            self.values[name] = TunedValue(declaration)
            self._news.append(declaration)
        elif self.values[name].declaration != declaration:
            raise UberSimError(f"the parameter {name!r} is declared twice, and not alike")
        return self.values[name]

    def set(self, name: str, value: Setting) -> None:
        """Changes a parameter, from now on."""
        if name not in self.values:
            raise UberSimError(f"there is no parameter {name!r}; {suggestion(name, self.values)}")
        if (reason := self.values[name].declaration.refusal(value)) is not None:
            raise UberSimError(f"the parameter {name!r} cannot be {value!r}: {reason}")
        self.values[name].value = value

    def update(self, values: Mapping[str, Setting]) -> None:
        """Takes over those of the values that are parameters here."""
        for name in values.keys() & self.values.keys():
            self.set(name, values[name])

    def log(self, name: str, value: Any) -> None:
        """Keeps it until `take`."""
        self._logged.append((name, value))

    def take(self) -> tuple[list[Declaration], list[tuple[str, Any]]]:
        """What was declared and logged since the last time."""
        news, logged = self._news, self._logged
        self._news, self._logged = [], []
        return news, logged
