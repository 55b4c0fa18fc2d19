"""From elements to components, by what the components' fields say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from lxml.etree import _Element as Element

from ubersim.description.component import Component, Entry
from ubersim.description.compounds import Listing, refuse_stray_text
from ubersim.description.document import LONGEST, parse, refuse_many_triangles
from ubersim.description.latencies import entries_of
from ubersim.description.materials import Materials
from ubersim.description.messages import quoted
from ubersim.description.parse_context import ParseContext, TooManyProblems, elements_in, line_of, tag_of
from ubersim.description.registry import Registry, registry
from ubersim.description.value_types import Label, refuse_attributes
from ubersim.protocol.suggestion import is_near, suggestion
from ubersim.timing.latency import LatencyModel

D = TypeVar("D", bound=Component)
_SCHEMA_HINTS = tuple(
    f"{{http://www.w3.org/2001/XMLSchema-instance}}{name}" for name in ("noNamespaceSchemaLocation", "schemaLocation")
)


def read_document(
    root: type[D],
    text: str | bytes,
    source: str,
    materials: Materials | None,
    components: Registry | None = None,
    *,
    longest: int = LONGEST,
    triangles: int | None = None,
) -> D:
    """Reads a whole document as the component `root`; raises a `DescriptionError` with everything that is wrong."""
    element = parse(text, source, longest=longest)
    if triangles is not None:
        refuse_many_triangles(element, triangles, source)
    reader = DocumentReader(source, materials, components or registry())
    try:
        found = reader.root(element, root)
        reader.check_references()
    except TooManyProblems:
        pass
    reader.raise_problems()
    assert isinstance(found, root)  # nothing is broken without a problem
    return found


class DocumentReader(ParseContext):
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
        before = len(self.problems)
        places, rest = self._places(element, cls, omit)
        values = {}
        for entry in cls.entries():
            if entry.attribute in places:
                values[entry.attribute] = entry.kind.read(places[entry.attribute], self)
            elif isinstance(entry.kind, Label):
                values[entry.attribute] = entry.kind.read(element, self)
            elif isinstance(entry.kind, Listing) and not entry.tag:
                values[entry.attribute] = entry.kind.read_all(rest, element, self)
        if len(self.problems) > before:
            return None
        found = cls(**values)
        for flaw in found.flaws():
            child = next((child for child in rest if child.get("name") == flaw.child), element)
            self.problem(places.get(flaw.field, child), flaw.message)
        return found if len(self.problems) == before else None

    def members(self, family: type[Any]) -> dict[str, type[Any]]:
        """The components of a family, by tag."""
        return self._components.members(family)

    def latency_models(self) -> Mapping[str, type[LatencyModel]]:
        """The latency models, by what documents call them."""
        return self._components.latency_models

    def latency_parts(self, model: type[LatencyModel]) -> tuple[Entry, ...]:
        """The parameters of a latency model."""
        return entries_of(model)

    def unknown_model(self, model: str) -> str:
        """The complaint about a latency model that there is not, or that failed to load."""
        if model in self._components.broken:
            return str(self._components.broken[model])
        return f"unknown model {quoted(model)}; known are {', '.join(self._components.latency_models)}{self._unread()}"

    def unknown(self, tag: str, known: Iterable[str]) -> str:
        """The complaint about an element that nothing here is called, or whose component failed to load."""
        if tag in self._components.broken:
            return str(self._components.broken[tag])
        return f"unknown element {tag}; {suggestion(tag, known)}{self._unread()}"

    def _unread(self) -> str:
        """What else might have known it."""
        unread = self._components.unread
        return (
            f"; it may be in what could not be loaded: {', '.join(module.tag for module in unread)}" if unread else ""
        )

    def _places(
        self, element: Element, cls: type[Component], omit: tuple[str, ...]
    ) -> tuple[dict[str, Element], list[Element]]:
        """Which child holds which field, and the children that hold none, if the component has a place for them."""
        attributes = tuple(entry.tag for entry in cls.entries() if isinstance(entry.kind, Label))
        refuse_attributes(element, self, attributes)
        refuse_stray_text(element, self)
        fields = {entry.tag: entry for entry in cls.entries() if entry.tag and entry.tag not in attributes}
        inline = any(not entry.tag for entry in cls.entries())
        places: dict[str, Element] = {}
        rest: list[Element] = []
        for child in elements_in(element):
            entry = fields.get(tag_of(child))
            if entry is None:
                rest.append(child)
            elif entry.attribute in omit:
                self.problem(child, f"{entry.tag} has no place in a {tag_of(element)} here")
            elif (first := places.setdefault(entry.attribute, child)) is not child:
                second = f"a second {entry.tag}, after that in line {line_of(first)}"
                self.problem(child, f"{second}; {tag_of(element)} has one")
        known = [tag for tag, entry in fields.items() if entry.attribute not in omit]
        for child in [] if inline else rest:
            self.problem(child, self.unknown(tag_of(child), known))
        missing = [fields[tag] for tag in known if fields[tag].required and fields[tag].attribute not in places]
        for entry in missing:
            if not is_near(entry.tag, map(tag_of, rest)):  # otherwise it is there, misspelt, and reported as such
                self.problem(element, f"{entry.tag} is missing ({entry.meaning})")
        return places, rest
