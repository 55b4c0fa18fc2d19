"""The schema of robot and world files for editors (XML Schema 1.0), from the components' fields."""

from __future__ import annotations

from functools import singledispatchmethod
from typing import Any, Literal

from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description import compounds, value_types
from ubersim.description.component import Component, Entry
from ubersim.description.latencies import entries_of
from ubersim.description.registry import Registry, registry
from ubersim.description.robot import RobotDescription
from ubersim.description.world_file import WorldDescription

_NAMESPACE = "http://www.w3.org/2001/XMLSchema"
ROOTS: dict[str, type[Component]] = {"robot": RobotDescription, "world": WorldDescription}


def xsd(root: Literal["robot", "world"], components: Registry | None = None) -> str:
    """The schema of robot files or of world files, with all components of this installation."""
    schema = _Schema(components or registry()).document(ROOTS[root])
    return etree.tostring(schema, encoding="unicode", pretty_print=True)


class _Schema:
    def __init__(self, components: Registry) -> None:
        self._components = components
        self._types: dict[str, Element] = {}

    def document(self, root: type[Component]) -> Element:
        top = _xs("element", name=root.tag, type=self._component_type(root, ()))
        return _xs("schema", top, *self._types.values())

    def _component_type(self, cls: type[Any], omit: tuple[str, ...]) -> str:
        """The name of the type of a component, which is defined on the first call."""
        omit = tuple(name for name in omit if any(entry.attribute == name for entry in cls.entries()))
        name: str = cls.tag + "".join(f".no_{attribute}" for attribute in omit)
        if name not in self._types:
            self._types[name] = _xs("complexType", name=name)  # first, for components that contain themselves
            self._fill(self._types[name], cls, [entry for entry in cls.entries() if entry.attribute not in omit])
        return name

    def _fill(self, target: Element, cls: type[Component], entries: list[Entry]) -> None:
        target.append(_documentation((cls.__doc__ or "").strip()))
        inline = [entry for entry in entries if not entry.tag]
        elements = [entry for entry in entries if entry.tag and not isinstance(entry.kind, value_types.Label)]
        if inline:
            target.append(self._choice(inline[0].kind, elements))
        elif elements:
            target.append(_xs("all", *map(self._element, elements)))
        if any(isinstance(entry.kind, value_types.Label) for entry in entries):
            target.append(_xs("attribute", _name_type(), name="name", use="required"))

    def _choice(self, listing: value_types.ValueType[Any], elements: list[Entry]) -> Element:
        assert isinstance(listing, compounds.Listing)
        members = self._components.members(listing.of)
        options = [
            _xs("element", name=tag, type=self._component_type(cls, listing.omit)) for tag, cls in members.items()
        ]
        return _xs(
            "choice",
            *map(self._element, elements),
            *options,
            minOccurs=str(listing.at_least),
            maxOccurs="unbounded",
        )

    def _element(self, entry: Entry) -> Element:
        element = _xs("element", name=entry.tag, minOccurs="1" if entry.required else "0")
        unit = getattr(entry.kind, "unit", "")
        element.append(_documentation(f"{entry.meaning} [{unit}]" if unit else entry.meaning))
        if isinstance(entry.kind, compounds.Nested):
            element.set("type", self._component_type(entry.kind.of, ()))
        else:
            element.append(self._type(entry.kind))
        return element

    @singledispatchmethod
    def _type(self, kind: value_types.ValueType[Any]) -> Element:
        raise TypeError(f"no schema for {kind}")

    @_type.register
    def _(self, kind: value_types.Number) -> Element:
        least = _xs("minExclusive" if kind.above else "minInclusive", value=repr(float(kind.low)))
        return _simple("xs:double", least, _xs("maxInclusive", value=repr(float(kind.high))))

    @_type.register
    def _(self, kind: value_types.Integer) -> Element:
        return _simple(
            "xs:integer", _xs("minInclusive", value=str(kind.low)), _xs("maxInclusive", value=str(kind.high))
        )

    @_type.register
    def _(self, kind: value_types.Flag) -> Element:
        return _simple("xs:boolean")

    @_type.register
    def _(self, kind: value_types.Text) -> Element:
        least = "0" if kind.may_be_empty else "1"
        return _simple("xs:token", _xs("minLength", value=least), _xs("maxLength", value=str(kind.longest)))

    @_type.register
    def _(self, kind: value_types.Choice) -> Element:
        return _simple("xs:token", *(_xs("enumeration", value=option) for option in kind.options))

    @_type.register
    def _(self, kind: value_types.Identifier) -> Element:
        return _name_type()

    @_type.register
    def _(self, kind: value_types.References) -> Element:
        names = _xs("simpleType", _xs("list", itemType="xs:token"))
        ends = _xs("minLength", value=str(kind.least)), _xs("maxLength", value=str(kind.most))
        return _xs("simpleType", _xs("restriction", names, *ends))

    @_type.register
    def _(self, kind: value_types.RadiationNames) -> Element:
        names = _xs("simpleType", _xs("list", itemType="xs:token"))
        return _xs("simpleType", _xs("restriction", names, _xs("minLength", value="1")))

    @_type.register
    def _(self, kind: compounds.Vector) -> Element:
        part = value_types.Number(-kind.high, kind.high)
        return _xs("complexType", _xs("all", *(_xs("element", self._type(part), name=name) for name in "xyz")))

    @_type.register
    def _(self, kind: compounds.Color) -> Element:
        part = value_types.Number(0.0, 1.0)
        return _xs("complexType", _xs("all", *(_xs("element", self._type(part), name=name) for name in "rgb")))

    @_type.register
    def _(self, kind: compounds.Numbers) -> Element:
        return _xs("simpleType", _xs("list", itemType="xs:double"))

    @_type.register
    def _(self, kind: compounds.Integers) -> Element:
        return _xs("simpleType", _xs("list", itemType="xs:nonNegativeInteger"))

    @_type.register
    def _(self, kind: compounds.LatencyValue) -> Element:
        # A number, or a model with parts: as XML Schema has no "either", the number is left unchecked here.
        known = self._components.latency_models
        takes: dict[str, value_types.ValueType[Any]] = {}
        for entry in (entry for model in known.values() for entry in entries_of(model)):
            if takes.setdefault(entry.tag, entry.kind) != entry.kind:  # two models differ, and a schema has but one
                takes[entry.tag] = value_types.Text(64)
        parts = [_xs("element", self._type(part), name=tag, minOccurs="0") for tag, part in takes.items()]
        models = _simple("xs:token", *(_xs("enumeration", value=name) for name in known))
        return _xs("complexType", _xs("all", *parts), _xs("attribute", models, name="model"), mixed="true")

    @_type.register
    def _(self, kind: compounds.Listing) -> Element:
        return _xs("complexType", self._choice(kind, []))


def _xs(name: str, /, *children: Element, **attributes: str) -> Element:
    element = etree.Element(f"{{{_NAMESPACE}}}{name}", attributes, {"xs": _NAMESPACE})
    element.extend(children)
    return element


def _simple(base: str, *facets: Element) -> Element:
    return _xs("simpleType", _xs("restriction", *facets, base=base))


def _name_type() -> Element:
    return _simple("xs:token", _xs("pattern", value=value_types.NAME_PATTERN))


def _documentation(text: str) -> Element:
    documentation = _xs("documentation")
    documentation.text = text
    return _xs("annotation", documentation)
