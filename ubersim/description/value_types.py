"""The kinds of plain values that fields take: how each is read from an element, and what it refuses.

`read` gives None for a value that is refused, after it has told the scope why.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from struct import Struct
from typing import Any, Generic, TypeVar

from lxml.etree import _Element as Element

from ubersim.description.messages import quoted
from ubersim.description.parse_context import ParseContext, elements_in, named, tag_of
from ubersim.description.radiation import MOST_CLASSES
from ubersim.protocol.suggestion import is_near, suggestion

T = TypeVar("T")
NAME_PATTERN = "[A-Za-z0-9_.-]{1,64}"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
LONGEST_NUMBER = 64
_SINGLE = Struct("<f")


def number_in(text: str) -> float:
    """The number that a text is, written plainly (no `1_000`, no `inf`); NaN if it is none."""
    return float(text) if len(text) <= LONGEST_NUMBER and _NUMBER.fullmatch(text) else math.nan


def is_name(text: str) -> bool:
    """Whether a text may be a name."""
    return re.fullmatch(NAME_PATTERN, text) is not None


class ValueType(ABC, Generic[T]):
    """What values a field takes."""

    @abstractmethod
    def read(self, element: Element, scope: ParseContext) -> T | None:
        """The value of an element; None if it is refused."""

    @property
    @abstractmethod
    def noun(self) -> str:
        """What the reference calls it, e.g. `number`."""

    @property
    def range(self) -> str:
        """What the reference says is allowed, e.g. `0 to 1`."""
        return ""

    def shown(self, value: T) -> str:
        """A default as the reference shows it, in the units of XML."""
        return str(value)

    def limits(self) -> tuple[float, float]:
        """Smallest and largest value that a command may set it to, in the units of memory."""
        raise TypeError(f"commands set numbers; {self.noun} is none")


class Scalar(ValueType[T]):
    """A value that is the text of an element without children."""

    @property
    def may_be_empty(self) -> bool:
        """Whether no text at all is a value."""
        return False

    def read(self, element: Element, scope: ParseContext) -> T | None:
        sound = refuse_attributes(element, scope)
        for child in elements_in(element):
            scope.problem(child, f"unexpected element; {tag_of(element)} holds {self.noun} only")
            return None
        text = (element.text or "").strip()
        if not text and not self.may_be_empty:
            scope.problem(element, f"is empty; {self.noun} is needed{self.hint}")
            return None
        value = self.parse(text, element, scope)
        return value if sound else None

    @property
    def hint(self) -> str:
        """The allowed range, as the end of a message."""
        return f" ({self.range})" if self.range else ""

    @abstractmethod
    def parse(self, text: str, element: Element, scope: ParseContext) -> T | None:
        """The value of a text, which is empty only where that may be."""


def refuse_attributes(element: Element, scope: ParseContext, known: tuple[str, ...] = ()) -> bool:
    """Reports attributes that the element does not have."""
    unknown = [str(key) for key in element.attrib if key not in known]
    for key in unknown:
        hint = f"; {suggestion(key, known)}" if known else "; it has none"
        scope.problem(element, f"unknown attribute {quoted(key)}{hint}")
    return not unknown


@dataclass(frozen=True)
class Number(Scalar[float]):
    """A finite number within bounds; `scale` takes it from XML's unit to that in memory."""

    low: float
    high: float
    unit: str = ""
    above: bool = False
    scale: float = 1.0

    @property
    def noun(self) -> str:
        return "a number"

    @property
    def range(self) -> str:
        if self.above:
            return f"above {self.low:g}, up to {self.high:g}"
        return f"{self.low:g} to {self.high:g}"

    def shown(self, value: float) -> str:
        return f"{value / self.scale:g}"

    def limits(self) -> tuple[float, float]:
        if self.scale == 1.0:
            return math.nextafter(self.low, math.inf) if self.above else self.low, self.high
        # Commands are in single precision, which may have a limit in radians only beyond it.
        low, high = self.low * self.scale, self.high * self.scale
        return min(low, *_SINGLE.unpack(_SINGLE.pack(low))), max(high, *_SINGLE.unpack(_SINGLE.pack(high)))

    def parse(self, text: str, element: Element, scope: ParseContext) -> float | None:
        value = number_in(text)
        if math.isnan(value):
            scope.problem(element, f"{quoted(text)} is not a number{self.hint}")
            return None
        if not self.low <= value <= self.high or (self.above and value == self.low):
            unit = f" {self.unit}" if self.unit else ""
            scope.problem(element, f"{quoted(text)} is out of range; allowed is {self.range}{unit}")
            return None
        return value * self.scale


@dataclass(frozen=True)
class Integer(Scalar[int]):
    """A whole number within bounds."""

    low: int
    high: int
    unit: str = ""

    @property
    def noun(self) -> str:
        return "a whole number"

    @property
    def range(self) -> str:
        return f"{self.low} to {self.high}"

    def parse(self, text: str, element: Element, scope: ParseContext) -> int | None:
        if len(text) > LONGEST_NUMBER or not _INTEGER.fullmatch(text):
            scope.problem(element, f"{quoted(text)} is not a whole number{self.hint}")
            return None
        value = int(text)
        if not self.low <= value <= self.high:
            scope.problem(element, f"{quoted(text)} is out of range; allowed is {self.range}")
            return None
        return value


@dataclass(frozen=True)
class Choice(Scalar[str]):
    """One of a few words."""

    options: tuple[str, ...]

    @property
    def noun(self) -> str:
        return "a word"

    @property
    def range(self) -> str:
        return ", ".join(self.options)

    def limits(self) -> tuple[float, float]:
        return 0.0, len(self.options) - 1.0

    def parse(self, text: str, element: Element, scope: ParseContext) -> str | None:
        if text in self.options:
            return text
        hint = f"; {suggestion(text, self.options)}" if is_near(text, self.options) else ""
        scope.problem(element, f"{quoted(text)} is not one of {self.range}{hint}")
        return None


@dataclass(frozen=True)
class Flag(Scalar[bool]):
    """Yes or no."""

    @property
    def noun(self) -> str:
        return "true or false"

    def shown(self, value: bool) -> str:
        return str(value).lower()

    def parse(self, text: str, element: Element, scope: ParseContext) -> bool | None:
        if text in ("true", "1"):
            return True
        if text in ("false", "0"):
            return False
        scope.problem(element, f"{quoted(text)} is neither true nor false")
        return None


@dataclass(frozen=True)
class Text(Scalar[str]):
    """Free text on one line."""

    longest: int
    empty: bool = False

    @property
    def may_be_empty(self) -> bool:
        return self.empty

    @property
    def noun(self) -> str:
        return "text"

    @property
    def range(self) -> str:
        return f"up to {self.longest} characters"

    def parse(self, text: str, element: Element, scope: ParseContext) -> str | None:
        if len(text) <= self.longest and text.isprintable():
            return text
        scope.problem(element, f"{quoted(text)} is not {self.range} on one line")
        return None


@dataclass(frozen=True)
class Identifier(Scalar[str]):
    """A name."""

    @property
    def noun(self) -> str:
        return "a name"

    @property
    def range(self) -> str:
        return f"`{NAME_PATTERN}`"

    def parse(self, text: str, element: Element, scope: ParseContext) -> str | None:
        if is_name(text):
            return text
        scope.problem(element, f"{quoted(text)} is not a name; allowed are 1 to 64 of A-Z a-z 0-9 _ . -")
        return None


@dataclass(frozen=True)
class Label(Identifier):
    """The `name` attribute, by which the rest of the document and the wire know an element."""

    def read(self, element: Element, scope: ParseContext) -> str | None:
        text = element.get("name")
        if text is None:
            scope.problem(element, f'has no name; write <{tag_of(element)} name="...">')
            return None
        name = self.parse(text, element, scope)
        if name is not None:
            scope.declare(element, name)
        return name


@dataclass(frozen=True)
class Reference(Identifier):
    """The name of another element of the document, or the word `static`, which stands for none of them."""

    target: str | type[Any]
    static: str = ""

    @property
    def noun(self) -> str:
        return f"the name of a {named(self.target)}"

    def parse(self, text: str, element: Element, scope: ParseContext) -> str | None:
        if self.static and text == self.static:
            return text
        name = super().parse(text, element, scope)
        if name is not None:
            scope.refer(element, name, self.target)
        return name


@dataclass(frozen=True)
class References(Scalar[tuple[str, ...]]):
    """Names of other elements of the document, separated by blanks; each is named once."""

    target: str | type[Any]
    least: int
    most: int

    @property
    def noun(self) -> str:
        return f"names of {named(self.target)}s"

    @property
    def range(self) -> str:
        return f"{self.least} to {self.most}, separated by blanks"

    def shown(self, value: tuple[str, ...]) -> str:
        return " ".join(value) or "none"

    def parse(self, text: str, element: Element, scope: ParseContext) -> tuple[str, ...] | None:
        names = tuple(text.split())
        if not self.least <= len(names) <= self.most:
            scope.problem(element, f"names {len(names)}; allowed are {self.range}")
            return None
        for name in names:
            if not is_name(name):
                scope.problem(element, f"{quoted(name)} is not a name; allowed are 1 to 64 of A-Z a-z 0-9 _ . -")
                return None
            if names.count(name) > 1:
                scope.problem(element, f"names {name!r} twice")
                return None
            scope.refer(element, name, self.target)
        return names


@dataclass(frozen=True)
class Material(Identifier):
    """The name of a material of the server's."""

    @property
    def noun(self) -> str:
        return "a material"

    def parse(self, text: str, element: Element, scope: ParseContext) -> str | None:
        name = super().parse(text, element, scope)
        return name if name is not None and scope.check_material(element, name) else None


@dataclass(frozen=True)
class RadiationName(Identifier):
    """A class of radiation that the server's materials know, or `light`."""

    @property
    def noun(self) -> str:
        return "a class of radiation"

    def parse(self, text: str, element: Element, scope: ParseContext) -> str | None:
        name = super().parse(text, element, scope)
        return name if name is not None and scope.check_radiation(element, name) else None


@dataclass(frozen=True)
class RadiationNames(Scalar[tuple[str, ...]]):
    """One or more classes of radiation, separated by blanks."""

    most: int = MOST_CLASSES

    @property
    def noun(self) -> str:
        return "classes of radiation"

    @property
    def range(self) -> str:
        return f"1 to {self.most}, separated by blanks"

    def shown(self, value: tuple[str, ...]) -> str:
        return " ".join(value)

    def parse(self, text: str, element: Element, scope: ParseContext) -> tuple[str, ...] | None:
        names = tuple(dict.fromkeys(text.split()))
        if not 1 <= len(names) <= self.most:
            scope.problem(element, f"names {len(names)}; allowed are {self.range}")
            return None
        found = [RadiationName().parse(name, element, scope) for name in names]
        return None if None in found else names
