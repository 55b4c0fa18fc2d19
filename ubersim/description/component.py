"""A component is one frozen, keyword-only dataclass whose fields say all there is to say about its XML.

Each field carries its kind (what values it takes, in which unit), its tag, whether it may be left out, and one line of
meaning. The parser, the errors, the schema for editors and the reference tables of the documentation all read these and
nothing else:

    @component
    class Sphere(Solid):
        "A ball of constant density."

        radius: float = number("radius", unit="m", low=1e-4, high=1e4)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, TypeVar, dataclass_transform

from ubersim.description import fields
from ubersim.description.value_types import ValueType

C = TypeVar("C", bound="Component")


@dataclass(frozen=True)
class Entry:
    """All that XML has to know about one field of a component."""

    attribute: str
    """The field's name in Python."""
    tag: str
    """The element's name in XML; for the inline list of a component's children: empty."""
    kind: ValueType[Any]
    """Which values it takes, and how they are read."""
    meaning: str
    """One line for the reader of the reference."""
    required: bool
    """Whether it is an error to leave it out."""
    default: Any
    """The value in memory where it is left out."""
    numbers: Mapping[str, int]
    """Names and numbers of the properties by which commands set it at run time; mostly none, or one."""

    @property
    def index(self) -> int | None:
        """The number by which commands set it, if it is one property."""
        return next(iter(self.numbers.values())) if len(self.numbers) == 1 else None


@dataclass(frozen=True)
class Flaw:
    """Something about a component that no field alone can see."""

    message: str
    """What was found, and what is allowed."""
    field: str = ""
    """The field of the component where the reader should look; empty: the component as a whole."""
    child: str = ""
    """Or the name of the component inside of it."""


class Component:
    """Base of everything that a robot or world file is made of."""

    tag: ClassVar[str] = ""
    """The element's name in XML: that of the class, unless given."""
    family: ClassVar[str] = ""
    """Plural name of the family, in the family's base class alone."""
    abstract: ClassVar[bool] = True
    """Whether it is but a base of others, and no element of documents: families are, and classes that say so."""

    def __init_subclass__(cls, *, tag: str = "", family: str = "", abstract: bool = False, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls.tag = tag or cls.__name__
        cls.family = family
        cls.abstract = abstract or bool(family)

    @classmethod
    def in_a_family(cls) -> bool:
        """Whether documents list it among others of its family; else it has a place of its own in one of them."""
        return any(vars(base).get("family") for base in cls.__mro__)

    @classmethod
    def entries(cls) -> tuple[Entry, ...]:
        """The fields that come from XML, in the order of their definition, the bases' first."""
        return _entries(cls)  # type: ignore[arg-type]  # mypy takes the instances' __hash__ for the class's

    def flaws(self) -> Iterator[Flaw]:
        """What is wrong although every field alone is right, e.g. two axes that are parallel."""
        return iter(())

    # As dataclasses would write them; but they would compile them anew for each of a hundred classes, at every start.

    def __repr__(self) -> str:
        shown = (entry.name for entry in dataclasses.fields(self) if entry.repr)  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __eq__(self, other: object) -> bool:
        return self._compared() == other._compared() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[Any, ...]:
        return tuple(getattr(self, entry.name) for entry in dataclasses.fields(self) if entry.compare)  # type: ignore[arg-type]


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(
        fields.angle,
        fields.angles,
        fields.children,
        fields.choice,
        fields.color,
        fields.flag,
        fields.identifier,
        fields.integer,
        fields.integers,
        fields.label,
        fields.latency,
        fields.listing,
        fields.material,
        fields.nested,
        fields.number,
        fields.numbers,
        fields.reference,
        fields.references,
        fields.text,
        fields.vector,
        dataclasses.field,
    ),
)
def component(cls: type[C]) -> type[C]:
    """Makes a class with described fields a component."""
    return dataclass(frozen=True, kw_only=True, repr=False, eq=False)(cls)


@cache
def _entries(cls: type[Any]) -> tuple[Entry, ...]:
    found = []
    for entry in dataclasses.fields(cls):
        if (spec := entry.metadata.get(fields.KEY)) is not None:
            default = None if entry.default is dataclasses.MISSING else entry.default
            tag = camel_case(entry.name) if spec.tag is None else spec.tag
            found.append(Entry(entry.name, tag, spec.kind, spec.meaning, spec.required, default, spec.numbers(tag)))
    return tuple(found)


def camel_case(name: str) -> str:
    """`lo_stop2` is LoStop2 in XML."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
