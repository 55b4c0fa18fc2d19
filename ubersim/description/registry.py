"""Which components there are: those that the entry points `ubersim.components` name, our own like anybody's."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ubersim.description.component import Component
from ubersim.description.latencies import entries_of
from ubersim.timing.latency import LatencyModel

GROUP = "ubersim.components"


@dataclass(frozen=True)
class BrokenComponent:
    """A component that is announced but cannot be had."""

    tag: str
    """The tag under which it is announced."""
    origin: str
    """The object that the entry point names, e.g. `sonar.sensor:SonarSensor`, and the package that it came with."""
    reason: str
    """Why it cannot be had."""

    def __str__(self) -> str:
        return f"component {self.tag} ({self.origin}) is not available: {self.reason}"


class Registry:
    """The components, by tag; a broken one is remembered with its reason and leaves the rest alone.

    A tag belongs to ÜberSim's own component, else to the first that claims it in the order of the entry points' values.
    """

    def __init__(self, points: Iterable[EntryPoint]) -> None:
        self.components: dict[str, type[Component]] = {}
        self.latency_models: dict[str, type[LatencyModel]] = {}
        """By what documents call them."""
        self.refused: list[BrokenComponent] = []
        """Whatever could not be had, for whoever runs the server."""
        for point in sorted(points, key=_precedence):
            try:
                self._add(point.name, point.load())
            except (Exception, SystemExit) as error:  # whatever a third party's module raises while it is imported
                broken = BrokenComponent(point.name, _origin(point), f"{type(error).__name__}: {error}")
                self.refused.append(broken)
                warnings.warn(str(broken), RuntimeWarning, stacklevel=2)
        known = {*self.components, *self.latency_models}
        self.broken = {broken.tag: broken for broken in self.refused if broken.tag not in known}
        """By tag, what documents cannot have; a tag that somebody else gives a meaning is none of these."""

    def _add(self, tag: str, found: Any) -> None:
        if isinstance(found, type) and issubclass(found, LatencyModel):
            self._add_latency_model(tag, found)
        else:
            self._add_component(tag, found)

    def _add_latency_model(self, kind: str, found: type[LatencyModel]) -> None:
        if not (is_dataclass(found) and getattr(found, "kind", None) == kind):
            raise TypeError(f"a latency model is a dataclass whose `kind` is {kind!r}, the name of its entry point")
        self._refuse_unsound(kind, found, self.latency_models)
        entries_of(found)  # as above
        self.latency_models[kind] = found

    def _add_component(self, tag: str, found: Any) -> None:
        if not (isinstance(found, type) and issubclass(found, Component) and is_dataclass(found)):
            raise TypeError("it is not a component class")
        if found.tag != tag:
            raise TypeError(f"its tag is {found.tag}, its entry point is named {tag}")
        self._refuse_unsound(tag, found, self.components)
        found.entries()  # a field declared in the wrong way shows here, not in the middle of a document
        self.components[tag] = found

    def _refuse_unsound(self, tag: str, found: type[Any], known: Mapping[str, type[Any]]) -> None:
        if known.get(tag, found) is not found:
            raise TypeError(f"the tag is taken by {known[tag].__module__}")
        if abstract := getattr(found, "__abstractmethods__", None):
            raise TypeError(f"it lacks {', '.join(sorted(abstract))}")

    def members(self, family: type[Any]) -> dict[str, type[Any]]:
        """The components of a family by tag; a class that is no family stands for itself."""
        if not family.family:
            return {family.tag: family}
        return {tag: found for tag, found in sorted(self.components.items()) if issubclass(found, family)}


def _precedence(point: EntryPoint) -> tuple[bool, str, str]:
    return not point.value.startswith("ubersim."), point.value, point.name


def _origin(point: EntryPoint) -> str:
    return point.value if point.dist is None else f"{point.value} of {point.dist.name} {point.dist.version}"


@cache
def registry() -> Registry:
    """The components of this installation; looked up once."""
    return Registry(entry_points(group=GROUP))
