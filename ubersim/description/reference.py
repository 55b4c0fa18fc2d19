"""The tables of docs/robot-xml.md and docs/protocol.md, from the components' fields and the table of properties.

`python -m ubersim.description.reference docs/*.md` brings the tables up to date and leaves the prose alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ubersim.description.base import JointDescription, Light, SensorDescription, Solid
from ubersim.description.commanded import CommandedComponent
from ubersim.description.component import Component, Entry
from ubersim.description.compounds import Nested
from ubersim.description.drives import MotionDescription
from ubersim.description.include import Include
from ubersim.description.inertia import Inertia
from ubersim.description.markings import Marking
from ubersim.description.materials import LIMITS
from ubersim.description.motors import MotorDescription
from ubersim.description.readings import ReadingDescription
from ubersim.description.registry import registry
from ubersim.description.robot import BodyDescription, ClientSettings, Entity, RobotDescription, SpawnSettings
from ubersim.description.value_types import Label
from ubersim.description.world_file import Ground, SpawnPoint, WorldDescription, WorldSettings
from ubersim.protocol.properties import TABLE
from ubersim.protocol.quantity import Quantities

_SECTION = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def refreshed(text: str) -> str:
    """A page with the tables between its markers up to date; a marker that names no section is a KeyError."""
    return _SECTION.sub(lambda found: f"{found[1]}{_SECTIONS[found[2]]()}\n{found[3]}", text)


def _structure(*classes: type[Component]) -> Callable[[], str]:
    return lambda: "\n\n".join(f"#### `{cls.tag}`\n\n{_about(cls)}\n\n{_table(cls.entries())}" for cls in classes)


def _family(base: type[Component]) -> Callable[[], str]:
    return lambda: "\n\n".join(_family_parts(base))


def _family_parts(base: type[Component]) -> Iterator[str]:
    common = {entry.attribute for entry in base.entries()}
    shown: set[type[Component]] = set()
    yield f"All {base.family} have:\n\n{_table(base.entries())}"
    yield from _parts(base.entries(), shown)
    for tag, cls in registry().members(base).items():
        own = [entry for entry in cls.entries() if entry.attribute not in common]
        yield f"#### `{tag}`\n\n{_about(cls)}"
        if issubclass(cls, SensorDescription):
            yield f"Reading: {cls.reading}.{_named(cls)}"
        if issubclass(cls, CommandedComponent) and cls.payload:
            yield f"Payload of its own: {cls.payload}."
        yield _table(own) if own else f"It has what all {base.family} have."
        yield from _parts(own, shown)


def _parts(entries: Iterable[Entry], shown: set[type[Component]]) -> Iterator[str]:
    """The elements inside, each once."""
    inner = [entry.kind.of for entry in entries if isinstance(entry.kind, Nested)]
    for part in (part for part in inner if part not in shown):
        shown.add(part)
        reading = f"\n\nReading: {part.reading}.{_named(part)}" if issubclass(part, ReadingDescription) else ""
        yield f"##### `{part.tag}`\n\n{_about(part)}{reading}\n\n{_table(part.entries())}"


def _named(cls: type[ReadingDescription]) -> str:
    values = _listed(cls.quantities)
    if cls.pixels is None:
        return f" Values: {values}." if values else ""
    picture = f" {_listed(cls.pixels)};" if cls.pixels else ""
    return f" Values:{picture} on the levels `objects` and `truth` {values}."


def _listed(quantities: Quantities) -> str:
    return ", ".join(f"`{each.name}`" + (f" [{each.unit}]" if each.unit else "") for each in quantities)


def _about(cls: type[Component]) -> str:
    return " ".join((cls.__doc__ or "").split())


def _table(entries: Iterable[Entry]) -> str:
    rows = ["| Element | Value | Unit | Default | Allowed | Meaning |", "| --- | --- | --- | --- | --- | --- |"]
    return "\n".join([*rows, *map(_row, entries)])


def _row(entry: Entry) -> str:
    kind = entry.kind
    name = "attribute `name`" if isinstance(kind, Label) else f"`{entry.tag}`" if entry.tag else "children"
    default = "**required**" if entry.required else "none" if entry.default is None else kind.shown(entry.default)
    commands = ", ".join(
        f"{name} {number:#x}" if number > 255 else f"{name} {number}" for name, number in entry.numbers.items()
    )
    meaning = entry.meaning + (f"; property {commands}" if commands else "")
    return f"| {name} | {kind.noun} | {getattr(kind, 'unit', '')} | {default} | {kind.range} | {meaning} |"


def _properties(*holders: str) -> Callable[[], str]:
    rows = ["| number | name | unit | meaning |", "| --- | --- | --- | --- |"]
    chosen = [entry for entry in TABLE if entry.of in holders]
    return lambda: "\n".join(
        [*rows, *(f"| {entry.number} | `{entry.name}` | {entry.unit} | {entry.meaning} |" for entry in chosen)]
    )


def _surface() -> str:
    rows = ["| Key | Smallest | Largest |", "| --- | --- | --- |"]
    return "\n".join([*rows, *(f"| `{key}` | {low:g} | {high:g} |" for key, (low, high) in LIMITS.items())])


_SECTIONS: dict[str, Callable[[], str]] = {
    "robot": _structure(RobotDescription, ClientSettings, SpawnSettings, Entity, BodyDescription, Inertia, Include),
    "solids": _family(Solid),
    "sensors": _family(SensorDescription),
    "joints": _family(JointDescription),
    "motors": _family(MotorDescription),
    "motions": _family(MotionDescription),
    "world": _structure(WorldDescription, WorldSettings, Ground, SpawnPoint),
    "markings": _family(Marking),
    "lights": _family(Light),
    "surfaces": _surface,
    "joint-properties": _properties("joint"),
    "sensor-properties": _properties("sensor", "camera"),
    "motor-properties": _properties("motor"),
    "solid-properties": _properties("solid"),
}


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        page = Path(argument)
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
