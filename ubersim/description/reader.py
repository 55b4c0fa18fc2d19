"""From elements to components, by what the components' fields say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from lxml.etree import _Element as Element

from ubersim.description.component import Component, Entry
from ubersim.description.compounds import Listing, refuse_stray_text
from ubersim.description.document import parse
from ubersim.description.kinds import Label, refuse_attributes
from ubersim.description.materials import Materials
from ubersim.description.registry import Registry, registry
from ubersim.description.scope import Scope, TooManyProblems, elements_in, line_of, tag_of
from ubersim.description.wording import is_near, suggestion

D = TypeVar("D", bound=Component)
_SCHEMA_HINTS = tuple(
    f"{{http://www.w3.org/2001/XMLSchema-instance}}{name}" for name in ("noNamespaceSchemaLocation", "schemaLocation")
)


def read_document(
    root: type[D], text: str | bytes, source: str, materials: Materials | None, components: Registry | None = None
) -> D:
    """Reads a whole document as the component `root`; raises a `DescriptionError` with everything that is wrong."""
    element = parse(text, source)
    reader = Reader(source, materials, components or registry())
    try:
        found = reader.root(element, root)
        reader.check_references()
    except TooManyProblems:
        pass
    reader.raise_problems()
    assert isinstance(found, root)  # nothing is broken without a problem
    return found


class Reader(Scope):
    """Reads the components of one document."""

    def __init__(self, source: str, materials: Materials | None, components: Registry) -> None:
        super().__init__(source, materials)
        self._components = components

    def root(self, element: Element, cls: type[Component]) -> Any:
        """Reads the outermost element."""
        if element.tag != cls.tag:
            self.problem(element, f"the root element is {tag_of(element)}; it has to be {cls.tag}")
            return None
        for hint in _SCHEMA_HINTS:  # by which editors find the schema
            element.attrib.pop(hint, "")
        return self.component(element, cls)

    def component(self, element: Element, cls: type[Component], omit: tuple[str, ...] = ()) -> Any:
        """Reads an element as a component; None if it is broken, which has then been reported."""
        entries = [entry for entry in cls.entries() if entry.attribute not in omit]
        omitted = {entry.tag for entry in cls.entries() if entry.attribute in omit}
        values, places = self._values(element, entries, omitted)
        if values is None:
            return None
        found = cls(**values)
        sound = True
        for flaw in found.flaws():
            self.problem(places.get(flaw.field, element), flaw.message)
            sound = False
        return found if sound else None

    def members(self, family: type[Any]) -> dict[str, type[Any]]:
        """The components of a family, by tag."""
        return self._components.members(family)

    def unknown(self, tag: str, known: Iterable[str]) -> str:
        """The complaint about an element that nothing here is called, or whose component failed to load."""
        if tag in self._components.broken:
            return str(self._components.broken[tag])
        return f"unknown element {tag}; {suggestion(tag, known)}"

    def _values(
        self, element: Element, entries: list[Entry], omitted: set[str]
    ) -> tuple[dict[str, Any] | None, dict[str, Element]]:
        """The fields' values, and the elements that they came from."""
        label = next((entry for entry in entries if isinstance(entry.kind, Label)), None)
        inline = next((entry for entry in entries if not entry.tag), None)
        by_tag = {entry.tag: entry for entry in entries if entry.tag and entry is not label}
        attributes = ("name",) if label else ()
        sound = all([refuse_attributes(element, self, attributes), refuse_stray_text(element, self)])
        values: dict[str, Any] = {}
        places: dict[str, Element] = {}
        rest: list[Element] = []
        unknown: list[str] = []
        if label is not None:
            values[label.attribute] = label.kind.read(element, self)
        for child in elements_in(element):
            entry = by_tag.get(tag_of(child))
            if entry is None and inline is not None:
                rest.append(child)
            elif entry is None:
                self.problem(child, self._unknown_child(child, element, by_tag, omitted))
                unknown.append(tag_of(child))
            elif entry.attribute in places:
                first = line_of(places[entry.attribute])
                self.problem(child, f"a second {entry.tag}, after that in line {first}; {tag_of(element)} has one")
                sound = False
            else:
                places[entry.attribute] = child
                values[entry.attribute] = entry.kind.read(child, self)
        if inline is not None and isinstance(inline.kind, Listing):
            values[inline.attribute] = inline.kind.read_all(rest, element, self)
        for entry in by_tag.values():
            if entry.required and entry.attribute not in places:
                sound = False
                if not is_near(entry.tag, unknown):  # otherwise it is there, misspelt, and reported as such
                    self.problem(element, f"{entry.tag} is missing ({entry.meaning})")
        return (values if sound and not unknown and None not in values.values() else None), places

    def _unknown_child(self, child: Element, parent: Element, known: Iterable[str], omitted: set[str]) -> str:
        if tag_of(child) in omitted:
            return f"{tag_of(child)} has no place in a {tag_of(parent)} here"
        return self.unknown(tag_of(child), known)
