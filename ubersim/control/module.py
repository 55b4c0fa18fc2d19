"""Modules: one solution of one task each. `update` says by its types what it takes and what it makes.

class TurnToGoal(Module):
    def __init__(self) -> None:
        self.gain = self.parameter("gain", 2.0, low=0.0, high=10.0)

    def update(self, goal: Goal, before: Last[Heading]) -> Heading:
        self.log("bearing", goal.bearing)
        return Heading(float(self.gain) * goal.bearing)
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

from ubersim.control.packages import LAST
from ubersim.control.parameters import DebugTable
from ubersim.errors import UberSimError
from ubersim.protocol.log_entries import LogLevel
from ubersim.protocol.parameters import Declaration
from ubersim.protocol.program_parameters import Parameter, ParameterDeclarer

_made_for: list[DebugTable] = []
"""Whose table the module belongs to that is being made."""


class Module(ParameterDeclarer):
    """The base of all solutions. A module keeps what it likes between updates; it is made anew when it is chosen."""

    update: ClassVar[Callable[..., Any]]
    """Takes packages, makes packages: each solution has its own."""

    _table: DebugTable

    def __new__(cls, *_: Any, **__: Any) -> Self:
        made = super().__new__(cls)
        made._table = _made_for[-1] if _made_for else DebugTable()  # before any __init__, which need not call ours
        return made

    def declare(self, made: Declaration) -> Parameter:
        """Something that can be changed while it runs: its `value` is what it is in this cycle."""
        return self._table.declare(made)

    def log(self, name: str, value: Any, *, level: LogLevel = "info", space: str = "") -> None:
        """Tells who watches what the module thinks: numbers, texts, pictures, drawings, as `RemoteRobot.log`."""
        self._table.log(name, value, level, space)


@contextmanager
def made_for(table: DebugTable) -> Iterator[None]:
    """Modules that are made within it belong to this table."""
    _made_for.append(table)
    try:
        yield
    finally:
        _made_for.pop()


@dataclass(frozen=True)
class Input:
    """One argument of `update`."""

    package: type
    needed: bool
    """Whether the module does not run without it."""
    last: bool
    """Whether it is from the cycle before."""


@dataclass(frozen=True)
class Signature:
    """What a module takes and makes."""

    inputs: Mapping[str, Input]
    outputs: tuple[type, ...]
    promised: frozenset[type]
    """Those of its outputs that are not left out."""


def signature_of(module: type[Module]) -> Signature:
    """Read off the types of `update`."""
    name, update = module.__name__, getattr(module, "update", None)
    if update is None:
        raise UberSimError(f"{name} is no module: it has no method update")
    try:
        hints = get_type_hints(update, include_extras=True)
    except NameError as error:
        raise UberSimError(f"a type of {name}.update is not known at the top of its file: {error}") from None
    arguments = list(inspect.signature(update).parameters)[1:]
    if missing := [argument for argument in [*arguments, "return"] if argument not in hints]:
        raise UberSimError(f"{name}.update does not say of what type these are: {', '.join(missing)}")
    inputs = {argument: _input(hints[argument], f"{name}.update({argument})") for argument in arguments}
    if not any(not found.last for found in inputs.values()):
        raise UberSimError(f"{name}.update takes nothing new, so it would never run; Tick comes with every frame")
    outputs = _outputs(hints["return"], f"{name}.update")
    return Signature(inputs, tuple(outputs), frozenset(output for output in outputs if outputs[output]))


def _input(hint: Any, where: str) -> Input:
    last = get_origin(hint) is Annotated and LAST in get_args(hint)[1:]
    package, optional = _without_none(get_args(hint)[0] if last else hint)
    return Input(_package(package, where), not optional, last)


def _outputs(hint: Any, where: str) -> dict[type, bool]:
    """What is made, and whether it is in every case."""
    hint, optional = _without_none(hint)
    several = get_args(hint) if get_origin(hint) is tuple else (hint,)
    found = [_without_none(each) for each in several if each is not type(None)]
    return {_package(each, where): not (optional or left_out) for each, left_out in found}


def _without_none(hint: Any) -> tuple[Any, bool]:
    """`X | None` -> X, True."""
    if get_origin(hint) in (Union, types.UnionType):
        rest = [each for each in get_args(hint) if each is not type(None)]
        if len(rest) == 1:
            return rest[0], True
    return hint, False


def _package(hint: Any, where: str) -> type:
    if not (isinstance(hint, type) and is_dataclass(hint)):
        raise UberSimError(f"{where}: modules exchange dataclasses, not {hint!r}")
    return hint
