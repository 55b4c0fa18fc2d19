"""Which components there are: those that the entry points `ubersim.components` name, our own like any other package's.

An entry point names one class, or a module or package, all of whose components count: a new one is a new file there.
"""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

from ubersim.description.component import Component
from ubersim.description.latencies import entries_of
from ubersim.timing.latency import LatencyModel

GROUP = "ubersim.components"


@dataclass(frozen=True)
class BrokenComponent:
    """A component, or a module of components, that is announced but cannot be had."""

    tag: str
    """The tag under which it is announced, or the module's name."""
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
        """Whatever could not be had, for the operator of the server."""
        self.unread: list[BrokenComponent] = []
        """Of these, modules: nothing is known of what is in them."""
        for point in sorted(points, key=_precedence):
            self._load(point.name, point, point.load, module=":" not in point.value)
        known = {*self.components, *self.latency_models}
        self.broken = {broken.tag: broken for broken in self.refused if broken.tag not in known}
        """By tag, what documents cannot have; a tag that another component has is none of these."""

    def _load(self, name: str, point: EntryPoint, load: Callable[[], Any], *, module: bool) -> None:
        try:
            found = load()
        except (Exception, SystemExit) as error:  # whatever a third party's module raises while it is imported
            self._refuse(name, point, error)
            if module:
                self.unread.append(self.refused[-1])
            return
        if isinstance(found, ModuleType):
            self._add_module(point, found)
        else:
            self._try(name, point, found)

    def _add_module(self, point: EntryPoint, module: ModuleType) -> None:
        """Its components and, if it is a package, those of all modules in it."""
        for found in _elements_of(module):
            self._try(found.kind if issubclass(found, LatencyModel) else found.tag, point, found)
        inner = pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}.")
        for name in sorted(part.name for part in inner if not part.name.endswith("__main__")):
            self._load(name, point, partial(importlib.import_module, name), module=True)

    def _try(self, tag: str, point: EntryPoint, found: Any) -> None:
        try:
            self._add(tag, found)
        except Exception as error:
            self._refuse(tag, point, error)

    def _refuse(self, tag: str, point: EntryPoint, error: BaseException) -> None:
        broken = BrokenComponent(tag, _origin(point), f"{type(error).__name__}: {error}")
        self.refused.append(broken)
        warnings.warn(str(broken), RuntimeWarning, stacklevel=4)

    def _add(self, tag: str, found: Any) -> None:
        if isinstance(found, type) and issubclass(found, LatencyModel):
            self._add_latency_model(tag, found)
        else:
            self._add_component(tag, found)

    def _add_latency_model(self, kind: str, found: type[LatencyModel]) -> None:
        if not (is_dataclass(found) and getattr(found, "kind", None) == kind):
            raise TypeError(f"a latency model is a dataclass whose `kind` is {kind!r}, the name of its entry point")
        self._refuse_unsound(kind, found, self.latency_models)
        entries_of(found)  # as below
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


def _elements_of(module: ModuleType) -> Iterator[type[Any]]:
    """The classes that a module defines for documents: members of a family, and latency models; not their bases."""
    for found in vars(module).values():
        if isinstance(found, type) and found.__module__ == module.__name__ and _is_element(found):
            yield found


def _is_element(found: type[Any]) -> bool:
    if issubclass(found, Component):
        return found.in_a_family() and not found.abstract
    return issubclass(found, LatencyModel) and hasattr(found, "kind")


def _precedence(point: EntryPoint) -> tuple[bool, str, str]:
    return point.value.partition(".")[0] != "ubersim", point.value, point.name


def _origin(point: EntryPoint) -> str:
    return point.value if point.dist is None else f"{point.value} of {point.dist.name} {point.dist.version}"


@cache
def registry() -> Registry:
    """The components of this installation; looked up once."""
    return Registry(entry_points(group=GROUP))
