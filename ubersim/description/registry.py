"""Which components there are: those that the entry points `ubersim.components` name, our own like anybody's."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, is_dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ubersim.description.component import Component

GROUP = "ubersim.components"


@dataclass(frozen=True)
class BrokenComponent:
    """A component that is announced but cannot be had."""

    tag: str
    """The tag under which it is announced."""
    origin: str
    """The object that the entry point names, e.g. `sonar.sensor:SonarSensor`."""
    reason: str
    """Why it cannot be had."""

    def __str__(self) -> str:
        return f"component {self.tag} ({self.origin}) is not available: {self.reason}"


class Registry:
    """The components, by tag; a broken one is remembered with its reason and leaves the rest alone."""

    def __init__(self, points: Iterable[EntryPoint]) -> None:
        self.components: dict[str, type[Component]] = {}
        self.broken: dict[str, BrokenComponent] = {}
        for point in sorted(points, key=lambda point: (point.name, point.value)):
            try:
                self._add(point.name, point.load())
            except Exception as error:  # whatever a third party's module raises while it is imported
                broken = BrokenComponent(point.name, point.value, f"{type(error).__name__}: {error}")
                self.broken[point.name] = broken
                warnings.warn(str(broken), RuntimeWarning, stacklevel=2)

    def _add(self, tag: str, found: Any) -> None:
        if not (isinstance(found, type) and issubclass(found, Component) and is_dataclass(found)):
            raise TypeError("it is not a component class")
        if found.tag != tag:
            raise TypeError(f"its tag is {found.tag}, its entry point is named {tag}")
        if self.components.get(tag, found) is not found:
            raise TypeError(f"the tag is taken by {self.components[tag].__module__}")
        if abstract := getattr(found, "__abstractmethods__", None):
            raise TypeError(f"it lacks {', '.join(sorted(abstract))}")
        found.entries()  # a field declared in the wrong way shows here, not in the middle of a document
        self.components[tag] = found

    def members(self, family: type[Any]) -> dict[str, type[Any]]:
        """The components of a family by tag; a class that is no family stands for itself."""
        if not family.family:
            return {family.tag: family}
        return {tag: found for tag, found in sorted(self.components.items()) if issubclass(found, family)}


@cache
def registry() -> Registry:
    """The components of this installation; looked up once."""
    return Registry(entry_points(group=GROUP))
