"""A command's arguments: JSON values, checked and converted by the types of its fields.

A field's annotation says all: `str`, `bool`, `int`, `float` (finite), a `Literal` of texts, tuples of these, unions of
these, `| None`; with `Annotated` also a `Range` or a `Longest`. A trailing underscore keeps a field apart from a name
of Python's own, and is not part of the argument's name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from ubersim.errors import UberSimError

LONGEST_TEXT = 2**22
"""Characters: a robot's document."""


@dataclasses.dataclass(frozen=True)
class Range:
    """What a number may be, both ends included."""

    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Longest:
    """How many characters a text, or elements a list, may have."""

    count: int


class Argument(NamedTuple):
    """One argument of a command."""

    field: str
    """The field that it becomes."""
    required: bool
    convert: Callable[[Any], Any]


@cache
def arguments_of(command: type) -> Mapping[str, Argument]:
    """The arguments of a dataclass, by name; TypeError if a field has a type that this file does not know."""
    hints = get_type_hints(command, include_extras=True)
    found = {}
    for field in dataclasses.fields(command):
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        found[field.name.rstrip("_")] = Argument(field.name, required, _converter(hints[field.name]).convert)
    return found


def read_arguments(verb: str, command: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a command; refuses what is unknown, missing or does not fit."""
    known = arguments_of(command)
    if unknown := sorted(set(given) - set(known)):
        raise UberSimError(f"{verb} has no {', '.join(unknown)}; it has {', '.join(known) or 'nothing'}")
    if missing := [name for name, argument in known.items() if argument.required and name not in given]:
        raise UberSimError(f"{verb} needs {', '.join(missing)}")
    fields = {}
    for name, value in given.items():
        try:
            fields[known[name].field] = known[name].convert(value)
        except _Misfit as misfit:
            raise UberSimError(f"{verb}: {name} {misfit}, not {repr(value)[:80]}") from None
    return fields


class _Misfit(Exception):
    """A value does not fit. The text says what would: `takes a whole number`, `is 0 to 5`."""


class _Converter(NamedTuple):
    one: str
    """What it takes, in words."""
    many: str
    """Several of them."""
    convert: Callable[[Any], Any]
    """The value as the field has it; raises `_Misfit`."""


def _converter(kind: Any) -> _Converter:
    """How values of an annotated type are read."""
    if kind in _PLAIN:
        return _plain(*_PLAIN[kind])
    inner = get_args(kind)
    match get_origin(kind):
        case origin if origin is Annotated:
            return _limited(_converter(inner[0]), *inner[1:])
        case origin if origin in (Union, types.UnionType):
            return _union(inner)
        case origin if origin is tuple:
            return _listing(inner)
        case origin if origin is Literal:
            one = f"one of {', '.join(inner)}"
            return _plain(one, f"lists of {one}", lambda value: isinstance(value, str) and value in inner)
    raise TypeError(f"an argument cannot be {kind}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_PLAIN: Mapping[Any, tuple[str, str, Callable[[Any], bool]]] = {
    str: ("a text", "texts", lambda value: isinstance(value, str) and len(value) <= LONGEST_TEXT),
    bool: ("true or false", "truth values", lambda value: isinstance(value, bool)),
    int: ("a whole number", "whole numbers", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    float: ("a finite number", "finite numbers", lambda value: _is_number(value) and abs(value) < 1e300),  # no NaN
}


def _plain(one: str, many: str, fits: Callable[[Any], bool]) -> _Converter:
    def convert(value: Any) -> Any:
        if not fits(value):
            raise _Misfit(f"takes {one}")
        return float(value) if many == "finite numbers" else value

    return _Converter(one, many, convert)


def _limited(inner: _Converter, limit: Range | Longest) -> _Converter:
    def in_range(value: Any) -> Any:
        assert isinstance(limit, Range)
        if _is_number(value) and (value < limit.low or value > limit.high):
            raise _Misfit(f"is {limit.low:g} to {limit.high:g}")
        return inner.convert(value)

    def short_enough(value: Any) -> Any:
        assert isinstance(limit, Longest)
        if isinstance(value, str | list | tuple) and len(value) > limit.count:
            raise _Misfit(f"has a length of up to {limit.count}")
        return inner.convert(value)

    return inner._replace(convert=in_range if isinstance(limit, Range) else short_enough)


def _union(kinds: tuple[Any, ...]) -> _Converter:
    options = [_converter(kind) for kind in kinds if kind is not types.NoneType]
    one = " or ".join(option.one for option in options)

    def convert(value: Any) -> Any:
        if value is None and types.NoneType in kinds:
            return None
        if len(options) == 1:
            return options[0].convert(value)
        for option in options:
            with contextlib.suppress(_Misfit):
                return option.convert(value)
        raise _Misfit(f"takes {one}")

    return _Converter(one, " or ".join(option.many for option in options), convert)


def _listing(kinds: tuple[Any, ...]) -> _Converter:
    """A tuple: of so many values, or, with an ellipsis, of any number of the same kind."""
    element = _converter(kinds[0])
    length = None if kinds[-1] is Ellipsis else len(kinds)
    if any(kind not in (kinds[0], Ellipsis) for kind in kinds):
        raise TypeError("the values of a list are all of the same kind")
    one = f"a list of {element.many}" if length is None else f"a list of {length} {element.many}"

    def convert(value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != (len(value) if length is None else length):
            raise _Misfit(f"takes {one}")
        try:
            return tuple(map(element.convert, value))
        except _Misfit:
            raise _Misfit(f"takes {one}") from None

    return _Converter(one, f"lists of {element.many}", convert)
