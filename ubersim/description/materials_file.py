"""Reads materials.yaml, with all of its errors at once.

The file is read as a tree of nodes, not as plain values: nodes know their lines, and keys that occur twice are still
there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from ubersim.description.materials import LIMITS, Materials, Surface
from ubersim.description.messages import quoted
from ubersim.description.radiation import LIMITS as RADIATION_LIMITS
from ubersim.description.radiation import LISTS, MOST_CLASSES, RadiationClass
from ubersim.description.ranges import KEYS, Spread
from ubersim.description.value_types import NAME_PATTERN, is_name
from ubersim.errors import DescriptionError, Problem
from ubersim.protocol.names import VISIBLE
from ubersim.protocol.suggestion import suggestion

SECTIONS = ("materials", "default", "pairs", "radiation")
LONGEST = 1024 * 1024
"""Characters that a file may have."""
MOST_MATERIALS = 256
_HINT = re.compile(r"\b(?:min|max|mean|sigma)\s*:")


def read_materials(text: str, *, source: str = "<materials>") -> Materials:
    """The materials that a file describes; a `DescriptionError` holds everything that is wrong with it."""
    return _MaterialsReader(source).read(text)


def drawn_materials(text: str, seed: int, *, source: str = "<materials>") -> str:
    """The text with a number in place of each `{min: 0.6, max: 0.9}` or `{mean: 0.8, sigma: 0.1}`."""
    if not _HINT.search(text):
        return text
    return _MaterialsReader(source).drawn(text, seed)


class _MaterialsReader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._problems: list[Problem] = []
        self._names: tuple[str, ...] = ()

    def read(self, text: str) -> Materials:
        sections = {key: node for key, _, node in self._items(self._root(text), "", SECTIONS)}
        if "materials" not in sections:
            self._problems.append(Problem(0, "", "the section materials is missing"))
        else:
            self._names = tuple(self._material_names(sections["materials"]))
        default = Surface()
        if "default" in sections:
            default = self._surface(sections["default"], "default", default)
        pairs = dict(self._pairs(sections["pairs"], default)) if "pairs" in sections else {}
        radiation = dict(self._radiation(sections["radiation"])) if "radiation" in sections else {}
        if self._problems:
            raise DescriptionError(self._source, self._problems)
        return Materials(self._names, default, pairs, radiation)

    def drawn(self, text: str, seed: int) -> str:
        """The text with numbers in place of what is to be drawn; a number's limits hold for all that may come."""
        pieces: list[tuple[int, int, str]] = []
        sections = {key: node for key, _, node in self._items(self._root(text), "", SECTIONS)}
        surfaces = [("default", sections["default"])] if "default" in sections else []
        if "pairs" in sections:
            surfaces += [(f"pairs/{key}", node) for key, _, node in self._items(sections["pairs"], "pairs")]
        for path, surface in surfaces:
            for key, _, node in self._items(surface, path, tuple(LIMITS)):
                if isinstance(node, MappingNode):
                    number = self._drawn_number(node, f"{path}/{key}", LIMITS[key], seed)
                    pieces.append((node.start_mark.index, node.end_mark.index, repr(number)))
        if self._problems:
            raise DescriptionError(self._source, self._problems)
        for start, end, piece in sorted(pieces, reverse=True):
            text = text[:start] + piece + text[end:]
        return text

    def _drawn_number(self, node: Node, path: str, limits: tuple[float, float], seed: int) -> float:
        low, high = limits
        try:
            spread = Spread.of({key: str(value.value) for key, _, value in self._items(node, path, tuple(KEYS))})
        except ValueError as error:
            self._problem(node, path, str(error))
            return low
        if not (low <= spread.lowest and spread.highest <= high):
            self._problem(node, path, f"may be out of range; allowed is a number from {low:g} to {high:g}")
        return spread.draw(seed, "materials", path)

    def _root(self, text: str) -> Node:
        if len(text) > LONGEST:
            raise DescriptionError(self._source, [Problem(0, "", f"longer than {LONGEST} characters")])
        try:
            root: Node | None = YAML(typ="safe", pure=True).compose(text)  # without comments
        except MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 0
            raise DescriptionError(self._source, [Problem(line, "", f"not YAML: {error.problem}")]) from None
        except (YAMLError, RecursionError) as error:
            reason = str(error).split("\n")[0] or type(error).__name__
            raise DescriptionError(self._source, [Problem(0, "", f"not YAML: {reason}")]) from None
        if root is None:
            raise DescriptionError(self._source, [Problem(0, "", "the file is empty")])
        return root

    def _items(self, node: Node, path: str, known: tuple[str, ...] = ()) -> Iterator[tuple[str, Node, Node]]:
        """The key, its node and the value's node of each entry that is new and, if `known` are given, among them."""
        if not isinstance(node, MappingNode):
            self._problem(node, path, "is not a mapping (`key: value` lines)")
            return
        first: dict[str, int] = {}
        for key_node, value in node.value:
            key = str(key_node.value)
            place = f"{path}/{key}" if path else key
            if known and key not in known:
                self._problem(key_node, place, f"unknown key; {suggestion(key, known)}")
            elif key in first:
                self._problem(key_node, place, f"occurs twice, first in line {first[key]}")
            else:
                first[key] = _line(key_node)
                yield key, key_node, value

    def _material_names(self, node: Node) -> Iterator[str]:
        found = 0
        for name, key_node, _ in self._items(node, "materials"):
            if not is_name(name):
                self._problem(key_node, "materials", f"{quoted(name)} is not a name; allowed is {NAME_PATTERN}")
                continue
            found += 1
            yield name
        if not 0 < found <= MOST_MATERIALS:
            self._problem(node, "materials", f"{found} materials; allowed are 1 to {MOST_MATERIALS}")

    def _pairs(self, node: Node, default: Surface) -> Iterator[tuple[tuple[str, str], Surface]]:
        first: dict[frozenset[str], int] = {}
        for key, key_node, value in self._items(node, "pairs"):
            path = f"pairs/{key}"
            names = [name.strip() for name in key.split("+")]
            if len(names) != 2:
                self._problem(key_node, path, "is not a pair; write `One + Other`")
                continue
            unknown = [name for name in dict.fromkeys(names) if name not in self._names]
            for name in unknown:
                self._problem(key_node, path, f"unknown material {quoted(name)}; {suggestion(name, self._names)}")
            pair = frozenset(names)
            if pair in first:
                self._problem(key_node, path, f"the pair occurs twice, first in line {first[pair]}")
            first.setdefault(pair, _line(key_node))
            surface = self._surface(value, path, default)
            if not unknown:
                yield (names[0], names[1]), surface

    def _radiation(self, node: Node) -> Iterator[tuple[str, RadiationClass]]:
        found = list(self._items(node, "radiation"))
        if len(found) > MOST_CLASSES:
            self._problem(node, "radiation", f"{len(found)} classes; allowed are {MOST_CLASSES}")
        for name, key_node, value in found:
            path = f"radiation/{name}"
            if not is_name(name) or name == VISIBLE:
                self._problem(key_node, path, f"is no name for a class; allowed is {NAME_PATTERN}, but not {VISIBLE}")
            else:
                yield name, self._radiation_class(value, path)

    def _radiation_class(self, node: Node, path: str) -> RadiationClass:
        numbers: dict[str, float] = {}
        lists: dict[str, dict[str, float]] = {}
        for key, _, value in self._items(node, path, (*RADIATION_LIMITS, *LISTS)):
            if key in LISTS:
                shares = self._items(value, f"{path}/{key}", self._names)
                read = {name: self._number(share, f"{path}/{key}/{name}", 0.0, 1.0) for name, _, share in shares}
                lists[key] = {name: share for name, share in read.items() if share is not None}
            elif (number := self._number(value, f"{path}/{key}", *RADIATION_LIMITS[key])) is not None:
                numbers[key] = number
        return RadiationClass(**numbers, **lists)  # type: ignore[arg-type]  # the keys are the fields'

    def _surface(self, node: Node, path: str, default: Surface) -> Surface:
        values: dict[str, float | None] = {}
        for key, _, value in self._items(node, path, tuple(LIMITS)):
            number = self._number(value, f"{path}/{key}", *LIMITS[key])
            if number is not None:
                values[key] = number
        if "mu" in values and "mu2" not in values:
            values["mu2"] = None  # a pair with a mu of its own is isotropic, even if the default is not
        return replace(default, **values)  # type: ignore[arg-type]  # the keys are those of LIMITS

    def _number(self, node: Node, path: str, low: float, high: float) -> float | None:
        allowed = f"allowed is a number from {low:g} to {high:g}"
        text = str(node.value) if isinstance(node, ScalarNode) else ""
        try:
            number = float(text)
        except ValueError:
            self._problem(node, path, f"{quoted(text) if text else 'a list or nothing'} is not a number; {allowed}")
            return None
        if not (math.isfinite(number) and low <= number <= high):
            self._problem(node, path, f"{text} is out of range; {allowed}")
            return None
        return number

    def _problem(self, node: Node, path: str, message: str) -> None:
        self._problems.append(Problem(_line(node), path, message))


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1
