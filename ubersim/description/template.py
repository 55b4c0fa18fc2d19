"""Fills the holes of a part's file: words in braces, such as `{side}`, which the document that includes it gives."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.etree import _Element as Element

from ubersim.description.messages import quoted
from ubersim.description.parse_context import line_of, path_of
from ubersim.errors import Problem
from ubersim.protocol.suggestion import suggestion

_HOLE = re.compile(r"\{(\w+)\}", re.ASCII)
_ARGUMENT = re.compile(r"(\w+)=(\S+)", re.ASCII)


def fill_template(part: Element, arguments: str) -> Iterator[Problem]:
    """Puts the arguments, given as `side=Left length=0.2`, into texts and attributes; what is wrong with that."""
    values: dict[str, str] = {}
    used: set[str] = set()
    for word in arguments.split():
        if (found := _ARGUMENT.fullmatch(word)) is None:
            yield Problem(0, "", f"With holds {quoted(word)}; it takes name=value, separated by spaces")
        else:
            values[found[1]] = found[2]
    for element in part.iter("*"):
        needed = set(_HOLE.findall(" ".join([element.text or "", *map(str, element.attrib.values())])))
        for name in sorted(needed - values.keys() - used):  # where it is needed first
            message = f"With does not say what {{{name}}} is; {_said(name, values)}"
            yield Problem(line_of(element), path_of(element), message)
        used |= needed
        if element.text:
            element.text = _filled(element.text, values)
        for key, text in element.attrib.items():
            element.set(key, _filled(str(text), values))
    for name in sorted(values.keys() - used):
        yield Problem(
            0, "", f"With says what {{{name}}} is, but nothing in the part needs it; {suggestion(name, used)}"
        )


def _said(name: str, values: dict[str, str]) -> str:
    return suggestion(name, values) if values else f"write <With>{name}=...</With>"


def _filled(text: str, values: dict[str, str]) -> str:
    return _HOLE.sub(lambda hole: values.get(hole[1], hole[0]), text)
