"""The ways to declare a field of a component; each takes the one line of meaning first.

A field without a `default` is required, in XML and when a program makes the component; type checkers see it, too. One
that commands set at run time has an `index`: the name of a property in `ubersim.protocol.properties`, or, in components
of other packages, a number of their own.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from ubersim.description import compounds, value_types
from ubersim.protocol.properties import NUMBERS, OWN_NUMBERS

KEY = "xml"
"""Where a dataclass field's metadata keeps its `Spec`."""
_NO_DEFAULT: Any = dataclasses.MISSING
Index = str | int | tuple[str, ...] | None


@dataclass(frozen=True)
class Spec:
    """What a field's declaration says beyond its name and type."""

    kind: value_types.ValueType[Any]
    meaning: str
    tag: str | None
    required: bool
    index: Index = None

    def __post_init__(self) -> None:
        if isinstance(self.index, int) and self.index not in OWN_NUMBERS:
            allowed = f"{OWN_NUMBERS.start} to {OWN_NUMBERS.stop - 1}"
            raise ValueError(
                f"a property of one's own has a number from {allowed}, not {self.index}; those of the table are named"
            )

    def numbers(self, tag: str) -> dict[str, int]:
        """Names and numbers of what commands set; `tag` is the field's in XML."""
        match self.index:
            case None:
                return {}
            case int(number):
                return {tag: number}
            case str(name):
                return {name: NUMBERS[name]}
            case names:
                return {name: NUMBERS[name] for name in names}


def _declare(
    kind: value_types.ValueType[Any],
    meaning: str,
    tag: str | None,
    default: Any,
    required: bool | None = None,
    index: Index = None,
) -> Any:
    if required is None:
        required = default is dataclasses.MISSING
    return dataclasses.field(default=default, metadata={KEY: Spec(kind, meaning, tag, required, index)})


def number(
    meaning: str,
    *,
    low: float,
    high: float,
    unit: str = "",
    above: bool = False,
    tag: str | None = None,
    default: Any = _NO_DEFAULT,
    required: bool | None = None,
    index: Index = None,
) -> Any:
    """A number from `low` to `high`; with `above`, `low` itself is excluded."""
    return _declare(value_types.Number(low, high, unit, above), meaning, tag, default, required, index)


def angle(
    meaning: str,
    *,
    low: float,
    high: float,
    tag: str | None = None,
    default: Any = _NO_DEFAULT,
    index: Index = None,
) -> Any:
    """An angle: degrees in XML (and for `low` and `high`), radians in memory (and for `default`)."""
    return _declare(value_types.Number(low, high, "deg", scale=math.pi / 180), meaning, tag, default, index=index)


def integer(
    meaning: str, *, low: int, high: int, unit: str = "", tag: str | None = None, default: Any = _NO_DEFAULT
) -> Any:
    """A whole number."""
    return _declare(value_types.Integer(low, high, unit), meaning, tag, default)


def flag(meaning: str, *, tag: str | None = None, default: Any = _NO_DEFAULT) -> Any:
    """`true` or `false`."""
    return _declare(value_types.Flag(), meaning, tag, default)


def text(
    meaning: str, *, longest: int = 256, may_be_empty: bool = False, tag: str | None = None, default: Any = _NO_DEFAULT
) -> Any:
    """Free text on one line."""
    return _declare(value_types.Text(longest, may_be_empty), meaning, tag, default)


def identifier(meaning: str, *, tag: str | None = None, default: Any = _NO_DEFAULT) -> Any:
    """A name that means something outside the document, e.g. the robot's on the server."""
    return _declare(value_types.Identifier(), meaning, tag, default)


def label(meaning: str) -> Any:
    """The `name` attribute of an element, unique in the document."""
    return _declare(value_types.Label(), meaning, "name", _NO_DEFAULT)


def reference(
    meaning: str, *, to: str | type[Any], static: str = "", tag: str | None = None, default: Any = _NO_DEFAULT
) -> Any:
    """The name of an element `to`, or of any in that family, in the document; the word `static` stands for none."""
    return _declare(value_types.Reference(to, static), meaning, tag, default)


def references(
    meaning: str, *, to: str | type[Any], least: int, most: int, tag: str | None = None, default: Any = _NO_DEFAULT
) -> Any:
    """Names of several elements `to`, or of any in that family, separated by blanks."""
    return _declare(value_types.References(to, least, most), meaning, tag, default)


def material(meaning: str, *, tag: str | None = None, default: Any = _NO_DEFAULT, required: bool | None = None) -> Any:
    """The name of a material of the server's."""
    return _declare(value_types.Material(), meaning, tag, default, required)


def radiation(meaning: str, *, default: str) -> Any:
    """A class of radiation that the server's materials know, or `light`."""
    return _declare(value_types.RadiationName(), meaning, None, default)


def radiations(meaning: str, *, default: tuple[str, ...]) -> Any:
    """Classes of radiation that the server's materials know, or `light`."""
    return _declare(value_types.RadiationNames(), meaning, None, default)


def choice(meaning: str, *options: str, tag: str | None = None, default: Any = _NO_DEFAULT, index: Index = None) -> Any:
    """One of a few words; commands name it by its place among them, from 0."""
    return _declare(value_types.Choice(options), meaning, tag, default, index=index)


def vector(
    meaning: str,
    *,
    high: float,
    unit: str = "",
    direction: bool = False,
    tag: str | None = None,
    default: Any = _NO_DEFAULT,
) -> Any:
    """Three numbers from -`high` to `high`; as a direction, not all of them zero."""
    return _declare(compounds.Vector(high, unit, direction=direction), meaning, tag, default)


def angles(meaning: str, *, tag: str | None = None, default: Any = _NO_DEFAULT) -> Any:
    """A rotation about x, then y, then z: degrees in XML, radians in memory."""
    return _declare(compounds.Vector(36000.0, "deg", scale=math.pi / 180), meaning, tag, default)


def color(meaning: str, *, tag: str | None = None, default: Any = _NO_DEFAULT, index: Index = None) -> Any:
    """Red, green and blue, from 0 to 1; commands set each by itself."""
    return _declare(compounds.Color(), meaning, tag, default, index=index)


def numbers(
    meaning: str,
    *,
    low: float,
    high: float,
    group: int,
    most: int,
    unit: str = "",
    tag: str | None = None,
    default: Any = _NO_DEFAULT,
) -> Any:
    """Many numbers as text, in groups, e.g. the vertices of a mesh."""
    return _declare(compounds.Numbers(low, high, group, most, unit), meaning, tag, default)


def integers(
    meaning: str, *, high: int, group: int, most: int, tag: str | None = None, default: Any = _NO_DEFAULT
) -> Any:
    """Many whole numbers as text, in groups, e.g. the triangles of a mesh."""
    return _declare(compounds.Integers(high, group, most), meaning, tag, default)


def latency(meaning: str, *, tag: str | None = None, default: Any = _NO_DEFAULT, index: Index = None) -> Any:
    """A latency model, or a number of milliseconds, which is what commands set it to."""
    return _declare(compounds.LatencyValue(), meaning, tag, default, index=index)


def nested(meaning: str, of: type[Any], *, tag: str | None = None, default: Any = _NO_DEFAULT) -> Any:
    """One element with fields of its own."""
    return _declare(compounds.Nested(of), meaning, tag, default)


def listing(
    meaning: str,
    of: type[Any],
    *,
    at_least: int = 0,
    at_most: int = 1000,
    omit: tuple[str, ...] = (),
    tag: str | None = None,
    default: Any = _NO_DEFAULT,
) -> Any:
    """One element that holds components of a family; `omit` names fields that they do not have here."""
    return _declare(compounds.Listing(of, at_least, at_most, omit), meaning, tag, default)


def children(meaning: str, of: type[Any], *, at_least: int = 0, at_most: int = 1000, default: Any = _NO_DEFAULT) -> Any:
    """The components of a family that an element holds directly, without an element around them."""
    return _declare(compounds.Listing(of, at_least, at_most), meaning, "", default, required=at_least > 0)
