"""Numbers that are drawn: where a document gives a range or a distribution, a number takes its place before it is read.

    <Mass min="14" max="16"/>                         each number between them is as likely as any other
    <Mu mean="0.8" sigma="0.1"/>                      a bell curve
    <Noise mean="0.01" sigma="0.01" min="0"/>         the same, cut off: what would lie beyond lies there

Each draw has a generator of its own, from the run's seed, the name of the document and the element's place in it. So
what else is drawn, in this document or in another robot's, changes nothing. What is read, kept and logged is the
document with the numbers.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lxml import etree

from ubersim.description.document import LONGEST, MOST_MARKS, parse
from ubersim.description.parse_context import elements_in, line_of, path_of, tag_of
from ubersim.description.value_types import number_in
from ubersim.errors import DescriptionError, Problem
from ubersim.timing.latency import generator

KEYS = frozenset({"min", "max", "mean", "sigma"})
_NEARBY = 100
"""Characters around the `=` of an attribute that belong to it."""
_HINT = re.compile(r"""\s(?:min|max|mean|sigma)\s*=\s*["']""")
Chooser = Callable[["Spread", str], float]


@dataclass(frozen=True)
class Spread:
    """Where a number is drawn from: evenly between bounds, or a bell curve, perhaps with bounds."""

    min: float = -math.inf
    max: float = math.inf
    mean: float | None = None
    sigma: float = 0.0

    @staticmethod
    def of(texts: Mapping[str, str]) -> Spread:
        """From what a document says; a ValueError says what is wrong with it."""
        numbers = {key: number_in(text.strip()) for key, text in texts.items()}
        for key, number in numbers.items():
            if math.isnan(number):
                raise ValueError(f"{key} {texts[key]!r:.60} is not a number")
        if numbers.keys() != {"min", "max"} and not {"mean", "sigma"} <= numbers.keys():
            given = ", ".join(sorted(numbers))
            raise ValueError(f"a number is drawn between min and max, or about mean with sigma; here are {given}")
        if numbers.get("sigma", 0.0) < 0.0:
            raise ValueError(f"sigma {numbers['sigma']:g} is below 0")
        spread = Spread(**numbers)
        if spread.max < spread.min:
            raise ValueError(f"max {spread.max:g} is below min {spread.min:g}")
        return spread

    def draw(self, seed: int, *names: str) -> float:
        """One number, which is this seed's and these names' alone."""
        rng = generator(seed, *names, "range")
        if self.mean is None:
            return float(rng.uniform(self.min, self.max))
        return self._within(float(rng.normal(self.mean, self.sigma)))

    @property
    def lowest(self) -> float:
        """The smallest that may come, or where there is no bound something that does."""
        return self.min if self.mean is None else self._within(self.mean - 3 * self.sigma)

    @property
    def highest(self) -> float:
        """The largest, likewise."""
        return self.max if self.mean is None else self._within(self.mean + 3 * self.sigma)

    def _within(self, number: float) -> float:
        return min(self.max, max(self.min, number))


def has_ranges(text: str) -> bool:
    """Whether a document may have numbers to draw; without any, there is nothing to be done.

    An attribute has its `=` nearby; to look at every character of a document of many meshes would take a tenth of a
    second, in which no other thread gets anywhere. With more of them than a document may have, none is to be drawn.
    """
    at = -1
    for _ in range(MOST_MARKS["="]):
        at = text.find("=", at + 1)
        if at < 0:
            return False
        if _HINT.search(text, max(0, at - _NEARBY), at + _NEARBY):
            return True
    return False


def variants(
    text: str, seed: int, *, name: str | None = None, source: str = "<document>", longest: int = LONGEST
) -> list[str]:
    """The document with its numbers drawn; then with all of them as small, and as large, as they may be.

    If nothing is to be drawn, the document alone, as it is. `name`: if that is not to be the document's own.
    """
    if not has_ranges(text):
        return [text]
    drawn = _replaced(text, name, source, longest, lambda name: lambda spread, place: spread.draw(seed, name, place))
    if drawn is None:
        return [text]
    low = _replaced(text, name, source, longest, lambda _: lambda spread, _: spread.lowest)
    high = _replaced(text, name, source, longest, lambda _: lambda spread, _: spread.highest)
    return [drawn, low or text, high or text]


def _replaced(text: str, name: str | None, source: str, longest: int, chooser: Callable[[str], Chooser]) -> str | None:
    """The document with a number for each range; None if it has none."""
    root = parse(text, source, comments=True, longest=longest)
    choose = chooser(name or str(root.findtext("CSettings/Name", "")).strip() or tag_of(root))
    problems: list[Problem] = []
    places: Counter[str] = Counter()
    for element in root.iter(etree.Element):
        if not KEYS & set(map(str, element.attrib)):
            continue
        texts = {str(key): str(value) for key, value in element.attrib.items()}
        place = path_of(element)
        places[place] += 1
        try:
            if "model" in texts:
                raise ValueError(f"the parts of a latency model are elements, not attributes; write {_as_parts(texts)}")
            if unknown := sorted(texts.keys() - KEYS):
                raise ValueError(f"a number that is drawn has no attribute {unknown[0]!r:.60}")
            if (element.text or "").strip() or any(elements_in(element)):
                raise ValueError("a number is drawn or given, not both")
            number = choose(Spread.of(texts), f"{place}#{places[place]}")
        except ValueError as error:
            problems.append(Problem(line_of(element), place, str(error)))
            continue
        element.attrib.clear()
        element.text = repr(number)
    if problems:
        raise DescriptionError(source, problems)
    return etree.tostring(root.getroottree(), encoding="unicode") if places else None


def _as_parts(attributes: Mapping[str, str]) -> str:
    """What was said in attributes, as elements."""
    return "".join(
        f"<{key.capitalize()}>{value:.20}</{key.capitalize()}>" for key, value in attributes.items() if key != "model"
    )
