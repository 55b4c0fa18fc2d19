"""What is known while one document is read: its problems, its names, and who refers to whom."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lxml.etree import _Element as Element

from ubersim.description.materials import Materials
from ubersim.description.source_map import origin_of
from ubersim.errors import DescriptionError, Problem
from ubersim.protocol.names import RESERVED_NAMES, VISIBLE
from ubersim.protocol.suggestion import suggestion
from ubersim.timing.latency import LatencyModel

MOST_PROBLEMS = 100
"""After so many, reading ends: a document that is wrong everywhere must not cost more than a sound one."""
RESERVED = tuple(sorted({*RESERVED_NAMES, "World"}))
"""Names that mean something else on the wire, or in `Body2`."""


class TooManyProblems(Exception):
    """Ends the reading of a document early."""


class ParseContext(ABC):
    """Collects what one document says; kinds of fields report to it."""

    def __init__(self, source: str, materials: Materials | None) -> None:
        self.source = source
        self.materials = materials
        self.problems: list[Problem] = []
        self._names: dict[str, Element] = {}
        self._references: list[tuple[Element, str, str | type[Any]]] = []

    @abstractmethod
    def component(self, element: Element, cls: type[Any], omit: tuple[str, ...] = ()) -> Any:
        """Reads an element as a component; None if it is broken, which has then been reported."""

    @abstractmethod
    def members(self, family: type[Any]) -> dict[str, type[Any]]:
        """The components of a family, by tag."""

    @abstractmethod
    def latency_models(self) -> Mapping[str, type[LatencyModel]]:
        """The latency models, by what documents call them."""

    @abstractmethod
    def latency_parts(self, model: type[LatencyModel]) -> tuple[Any, ...]:
        """The parameters of a latency model, as entries."""

    @abstractmethod
    def unknown(self, tag: str, known: Iterable[str]) -> str:
        """The complaint about an element that nothing here is called."""

    @abstractmethod
    def unknown_model(self, model: str) -> str:
        """The complaint about a latency model that there is not."""

    def problem(self, element: Element, message: str) -> None:
        """Notes what is wrong with an element."""
        if len(self.problems) >= MOST_PROBLEMS:
            self.problems.append(
                Problem(line_of(element), "", f"more than {MOST_PROBLEMS} problems: the rest is not read")
            )
            raise TooManyProblems
        origin = origin_of(element)
        note = "" if origin is None else f" (from {origin[1]})"
        self.problems.append(Problem(line_of(element), path_of(element), message + note))

    def declare(self, element: Element, name: str) -> None:
        """An element has a name, which no other may have."""
        if name in RESERVED:
            self.problem(element, f"the name {name!r} is reserved; so are {', '.join(RESERVED)}")
        elif (first := self._names.setdefault(name, element)) is not element:
            self.problem(
                element, f"the name {name!r} is taken by {tag_of(first)} in line {line_of(first)}; names are unique"
            )

    def refer(self, element: Element, name: str, target: str | type[Any]) -> None:
        """An element names another one, that may come later: of one tag, or of any member of a family."""
        self._references.append((element, name, target))

    def check_references(self) -> None:
        """After the whole document: does what is referred to exist?"""
        for element, name, target in self._references:
            found = self._names.get(name)
            tags = {target} if isinstance(target, str) else set(self.members(target))
            if found is None or found.tag not in tags:
                names = [known for known, owner in self._names.items() if owner.tag in tags]
                what = "does not exist" if found is None else f"is a {tag_of(found)}"
                self.problem(element, f"{named(target)} {name!r} {what}; {suggestion(name, names)}")

    def check_material(self, element: Element, name: str) -> bool:
        """Whether the server knows a material; without a list of materials every name will do."""
        if self.materials is None or name in self.materials:
            return True
        self.problem(element, self.materials.unknown(name))
        return False

    def check_radiation(self, element: Element, name: str) -> bool:
        """Whether the server's materials know a class of radiation; visible light is one always."""
        if self.materials is None or name == VISIBLE or name in self.materials.radiation:
            return True
        self.problem(element, self.materials.unknown_radiation(name))
        return False

    def raise_problems(self) -> None:
        """Ends the reading with an error if there was any problem."""
        if self.problems:
            raise DescriptionError(self.source, self.problems)


def named(target: str | type[Any]) -> str:
    """What an element is called that others refer to: its tag, or one of its family."""
    return target if isinstance(target, str) else str(target.family).removesuffix("s")


def tag_of(element: Element) -> str:
    """The element's name, cut to what a message can bear."""
    return str(element.tag)[:64]


def line_of(element: Element) -> int:
    """Where the element starts, or what it was made of; 0 where that is not known."""
    origin = origin_of(element)
    line = element.sourceline if origin is None else origin[0]
    return line if isinstance(line, int) else 0


def path_of(element: Element) -> str:
    """Where an element is, from its outermost named ancestor on: `Body[MainBody]/Box[Platform]/Mass`."""
    steps = [(_step(ancestor), "name" in ancestor.attrib) for ancestor in _lineage(element)]
    first = next((index for index, (_, named) in enumerate(steps) if named), 0)
    return "/".join(step for step, _ in steps[first:])


def _lineage(element: Element) -> list[Element]:
    return [*reversed(list(element.iterancestors())), element]


def _step(element: Element) -> str:
    name = element.get("name")
    return tag_of(element) if name is None else f"{tag_of(element)}[{name[:64]}]"


def elements_in(element: Element) -> Iterator[Element]:
    """The child elements."""
    return element.iterchildren("*")
