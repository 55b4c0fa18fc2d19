"""The kinds of fields that are made of several values: vectors, colours, lists, latency models, components."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lxml.etree import _Element as Element

from ubersim.description.messages import quoted
from ubersim.description.parse_context import ParseContext, elements_in, tag_of
from ubersim.description.value_types import LONGEST_NUMBER, Number, Scalar, ValueType, number_in, refuse_attributes
from ubersim.geometry import Triple
from ubersim.protocol.suggestion import is_near
from ubersim.timing.latency import LONGEST_MS, Constant, LatencyModel

_PLAIN = re.compile(r"[\d.eE+\-\s]+", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_DIGITS = re.compile(r"[\d\s]+", re.ASCII)


def parts_of(
    element: Element, parts: Mapping[str, ValueType[Any]], needed: tuple[str, ...], scope: ParseContext
) -> dict[str, Any] | None:
    """Reads the children of an element, each of which may occur once; None if any of them is refused."""
    sound = refuse_stray_text(element, scope)
    values: dict[str, Any] = {}
    for child in elements_in(element):
        tag = tag_of(child)
        if tag not in parts:
            scope.problem(child, scope.unknown(tag, parts))
            sound = False
        elif tag in values:
            scope.problem(child, f"a second {tag}; {tag_of(element)} has one")
            sound = False
        else:
            values[tag] = parts[tag].read(child, scope)
    for tag in needed:
        # One that is near is there, misspelt, and reported as such.
        if tag not in values and not is_near(tag, (tag_of(child) for child in elements_in(element))):
            scope.problem(element, f"{tag} is missing")
            sound = False
    return values if sound and None not in values.values() else None


def refuse_stray_text(element: Element, scope: ParseContext) -> bool:
    """Reports text between the children of an element that holds elements only."""
    texts = [element.text, *(child.tail for child in elements_in(element))]
    for text in texts:
        if text and text.strip():
            scope.problem(element, f"unexpected text {quoted(text.strip())}; {tag_of(element)} holds elements only")
            return False
    return True


@dataclass(frozen=True)
class Vector(ValueType[Triple]):
    """Three numbers, as children x, y and z."""

    high: float
    unit: str = ""
    scale: float = 1.0
    direction: bool = False

    @property
    def noun(self) -> str:
        return "`x y z`"

    @property
    def range(self) -> str:
        return "not zero" if self.direction else f"{-self.high:g} to {self.high:g}"

    def shown(self, value: Triple) -> str:
        return " ".join(f"{part / self.scale:g}" for part in value)

    def read(self, element: Element, scope: ParseContext) -> Triple | None:
        if _was_shortened(element, "xyz", scope):
            return None
        sound = refuse_attributes(element, scope)
        part = Number(-self.high, self.high, self.unit, scale=self.scale)
        values = parts_of(element, {"x": part, "y": part, "z": part}, ("x", "y", "z"), scope)
        if values is None or not sound:
            return None
        triple = (values["x"], values["y"], values["z"])
        if self.direction and max(abs(value) for value in triple) < 1e-6:
            scope.problem(element, "has no direction: x, y and z are all zero")
            return None
        return triple


def _was_shortened(element: Element, parts: str, scope: ParseContext) -> bool:
    """Reports `0 0 0.93`, or the same in attributes, with how it has to be written."""
    if next(elements_in(element), None) is not None:
        return False
    text, given = (element.text or "").strip(), {str(key).lower(): str(value) for key, value in element.attrib.items()}
    if not given:
        numbers, where = re.split(r"[\s,;]+", text), "text"
    elif text:
        return False
    elif given.keys() == set(parts):
        numbers, where = [given[part].strip() for part in parts], "attributes"
    elif given.keys() == {parts}:
        numbers, where = given[parts].split(), "attributes"
    else:
        return False
    if len(numbers) != len(parts) or not all(map(_NUMBER.fullmatch, numbers)):
        return False
    meant = "".join(f"<{part}>{number}</{part}>" for part, number in zip(parts, numbers, strict=True))
    tag = tag_of(element)
    scope.problem(element, f"holds elements, not {where}; write <{tag}>{meant}</{tag}>")
    return True


@dataclass(frozen=True)
class Color(ValueType[Triple]):
    """Red, green and blue."""

    @property
    def noun(self) -> str:
        return "`r g b`"

    @property
    def range(self) -> str:
        return "0 to 1"

    def limits(self) -> tuple[float, float]:
        return 0.0, 1.0

    def shown(self, value: Triple) -> str:
        return " ".join(f"{part:g}" for part in value)

    def read(self, element: Element, scope: ParseContext) -> Triple | None:
        if _was_shortened(element, "rgb", scope):
            return None
        sound = refuse_attributes(element, scope)
        part = Number(0.0, 1.0)
        values = parts_of(element, {"r": part, "g": part, "b": part}, ("r", "g", "b"), scope)
        return (values["r"], values["g"], values["b"]) if values is not None and sound else None


@dataclass(frozen=True)
class Numbers(Scalar[tuple[float, ...]]):
    """Many numbers, separated by white space, in groups of `group`."""

    low: float
    high: float
    group: int
    most: int
    unit: str = ""

    @property
    def noun(self) -> str:
        return f"numbers in groups of {self.group}"

    @property
    def range(self) -> str:
        return f"{self.low:g} to {self.high:g}, at most {self.most} groups"

    def shown(self, value: tuple[float, ...]) -> str:
        return "none"

    def parse(self, text: str, element: Element, scope: ParseContext) -> tuple[float, ...] | None:
        words = text.split()
        if not _grouped(words, self.group, self.most, element, scope):
            return None
        values = _plain_numbers(words) if _PLAIN.fullmatch(text) else tuple(map(number_in, words))
        for word, value in zip(words, values, strict=True):
            if not self.low <= value <= self.high:
                scope.problem(element, f"{quoted(word)} is not a number from {self.low:g} to {self.high:g}")
                return None
        return values


@dataclass(frozen=True)
class Integers(Scalar[tuple[int, ...]]):
    """Many whole numbers from 0 on, separated by white space, in groups of `group`."""

    high: int
    group: int
    most: int

    @property
    def noun(self) -> str:
        return f"whole numbers in groups of {self.group}"

    @property
    def range(self) -> str:
        return f"at most {self.most} groups"

    def shown(self, value: tuple[int, ...]) -> str:
        return "none"

    def parse(self, text: str, element: Element, scope: ParseContext) -> tuple[int, ...] | None:
        words = text.split()
        if not _grouped(words, self.group, self.most, element, scope):
            return None
        if _DIGITS.fullmatch(text) and max(map(len, words)) <= 9 and max(found := tuple(map(int, words))) <= self.high:
            return found
        for word in words:
            if len(word) > 9 or not (word.isascii() and word.isdigit()) or int(word) > self.high:
                scope.problem(element, f"{quoted(word)} is not a whole number from 0 to {self.high}")
                return None
        return tuple(map(int, words))


def _plain_numbers(words: list[str]) -> tuple[float, ...]:
    """Many numbers quickly, if all of them are; the slow way finds the one that is none."""
    try:
        return tuple(map(float, words)) if max(map(len, words)) <= LONGEST_NUMBER else tuple(map(number_in, words))
    except ValueError:
        return tuple(map(number_in, words))


def _grouped(words: list[str], group: int, most: int, element: Element, scope: ParseContext) -> bool:
    if len(words) % group == 0 and len(words) <= group * most:
        return True
    scope.problem(element, f"holds {len(words)} numbers; needed are groups of {group}, at most {most} of them")
    return False


_MILLISECONDS = Number(0.0, LONGEST_MS, "ms")


@dataclass(frozen=True)
class LatencyValue(ValueType[LatencyModel]):
    """A number of milliseconds, or a model with parts of its own."""

    unit: ClassVar[str] = "ms"

    @property
    def noun(self) -> str:
        return "a latency"

    @property
    def range(self) -> str:
        return "number of ms, or a model"

    def limits(self) -> tuple[float, float]:
        return _MILLISECONDS.limits()

    def shown(self, value: LatencyModel) -> str:
        return f"{value.minimum:g}"

    def read(self, element: Element, scope: ParseContext) -> LatencyModel | None:
        sound = refuse_attributes(element, scope, ("model",))
        model = element.get("model")
        models = scope.latency_models()
        if model is None:
            if next(elements_in(element), None) is not None:
                known = ", ".join(models)
                scope.problem(element, f'has parts but no model; write <{tag_of(element)} model="...">, one of {known}')
                return None
            value = _MILLISECONDS.parse((element.text or "").strip(), element, scope)
            return Constant(value) if value is not None and sound else None
        if model not in models:
            scope.problem(element, scope.unknown_model(model))
            return None
        parts = scope.latency_parts(models[model])
        needed = tuple(part.tag for part in parts if part.required)
        values = parts_of(element, {part.tag: part.kind for part in parts}, needed, scope)
        if values is None or not sound:
            return None
        try:
            return models[model](**{part.attribute: values[part.tag] for part in parts if part.tag in values})
        except ValueError as error:
            scope.problem(element, str(error))
            return None


@dataclass(frozen=True)
class Nested(ValueType[Any]):
    """One component inside another."""

    of: type[Any]

    @property
    def noun(self) -> str:
        return "an element"

    def shown(self, value: Any) -> str:
        return "its defaults"

    def read(self, element: Element, scope: ParseContext) -> Any:
        return scope.component(element, self.of)


@dataclass(frozen=True)
class Listing(ValueType[tuple[Any, ...]]):
    """Components of a family, any number of each."""

    of: type[Any]
    at_least: int = 0
    at_most: int = 1000
    omit: tuple[str, ...] = ()

    @property
    def noun(self) -> str:
        return f"list of {self.of.family or self.of.tag}"

    @property
    def range(self) -> str:
        return f"{self.at_least} to {self.at_most}"

    def shown(self, value: tuple[Any, ...]) -> str:
        return "empty"

    def read(self, element: Element, scope: ParseContext) -> tuple[Any, ...] | None:
        sound = all([refuse_attributes(element, scope), refuse_stray_text(element, scope)])
        found = self.read_all(list(elements_in(element)), element, scope)
        return found if sound else None

    def read_all(self, elements: list[Element], parent: Element, scope: ParseContext) -> tuple[Any, ...] | None:
        """Reads elements that belong to the list; `parent` is blamed if they are too few or too many."""
        members = scope.members(self.of)
        if not self.at_least <= len(elements) <= self.at_most:
            what = self.of.family or self.of.tag
            scope.problem(parent, f"holds {len(elements)} {what}; allowed are {self.range}")
            return None
        found: list[Any] = []
        for element in elements:
            tag = tag_of(element)
            if tag in members:
                found.append(scope.component(element, members[tag], self.omit))
            else:
                scope.problem(element, scope.unknown(tag, members))
                found.append(None)
        return tuple(found) if None not in found else None
