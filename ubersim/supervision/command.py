"""A deed as plain JSON values, and how those are checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ubersim.errors import UberSimError

if TYPE_CHECKING:
    from ubersim.supervision.interventions import Interventions

Quadruple = tuple[float, float, float, float]


@dataclasses.dataclass(frozen=True, kw_only=True)
class SupervisorCommand:
    """One kind of intervention: its fields are the arguments that it takes."""

    verb: ClassVar[str]
    """What messages call it: the name of the class, unless given."""
    timeless: ClassVar[bool] = True
    """Whether the simulation's frame number, and what its clients have been sent, stays as it is."""
    settled: ClassVar[bool] = False
    """Whether it has to wait until every client has answered the current frame."""

    def __init_subclass__(cls, *, verb: str = "", **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls.verb = verb or cls.__name__

    def do(self, to: Interventions) -> dict[str, Any]:
        """Does it now, and returns what there is to say about it."""
        raise NotImplementedError

    def arguments(self) -> dict[str, Any]:
        """As JSON values, complete."""
        return dataclasses.asdict(self)

    @classmethod
    def read(cls, arguments: Mapping[str, Any]) -> Self:
        """From JSON values."""
        fields = {field.name: field for field in dataclasses.fields(cls)}
        if unknown := sorted(set(arguments) - set(fields)):
            raise UberSimError(f"{cls.verb} has no {', '.join(unknown)}; it has {', '.join(fields) or 'nothing'}")
        missing = [name for name, field in fields.items() if name not in arguments and _required(field)]
        if missing:
            raise UberSimError(f"{cls.verb} needs {', '.join(missing)}")
        return cls(**{name: _value(cls.verb, name, str(fields[name].type), value) for name, value in arguments.items()})


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _value(deed: str, name: str, kind: str, value: Any) -> Any:
    """The value as the field's type has it; `kind` is how the annotation is written."""
    if value is None and kind.endswith("| None"):
        return None
    match kind.removesuffix(" | None"):
        case "str" if isinstance(value, str) and len(value) <= 2**22:
            return value
        case "float" if _finite(value):
            return float(value)
        case "str | int" if isinstance(value, str | int) and not isinstance(value, bool):
            return value
        case "Triple" if _finite_list(value, 3):
            return tuple(map(float, value))
        case "Quadruple" if _finite_list(value, 4):
            return tuple(map(float, value))
    raise UberSimError(f"{deed}: {name} takes {_WORDS[kind.removesuffix(' | None')]}, not {repr(value)[:80]}")


_WORDS = {
    "str": "a text",
    "float": "a finite number",
    "str | int": "a name or a number",
    "Triple": "a list of 3 finite numbers",
    "Quadruple": "a list of 4 finite numbers",
}


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300  # false for NaN


def _finite_list(value: Any, length: int) -> bool:
    return isinstance(value, list | tuple) and len(value) == length and all(map(_finite, value))
