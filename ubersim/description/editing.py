"""Numbers of a document replaced by others, found by the names of what they belong to.

`Chassis/Mass` is the mass of what is named Chassis, `LMotor/FMax` is a motor's, `CSettings/Spawn/Heading` goes by tags
alone: each part of a path is a name or a tag, somewhere below the part before it.
"""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.document import parse
from ubersim.errors import UberSimError


def with_numbers(text: str, numbers: Mapping[str, float], source: str = "<document>") -> str:
    """The document with other numbers; a path that fits none or several of its elements is an error."""
    if not numbers:
        return text
    root = parse(text, source, comments=True)
    for path, value in numbers.items():
        element = _find(root, path, source)
        for child in element:  # as those of a latency that was a model
            element.remove(child)
        element.attrib.pop("model", None)
        element.text = repr(float(value))
    return etree.tostring(root, encoding="unicode")


def number_at(text: str, path: str, source: str = "<document>") -> float:
    """The number that is there now."""
    found = _find(parse(text, source), path, source)
    try:
        return float(found.text or "")
    except ValueError:
        raise UberSimError(f"{path} is {(found.text or '').strip()!r:.40} in {source}, which is no number") from None


def _find(root: Element, path: str, source: str) -> Element:
    found = [root]
    for part in path.strip("/").split("/"):
        below = [one for parent in found for one in parent.iterdescendants() if isinstance(one.tag, str)]
        found = list(dict.fromkeys(one for one in below if part in (one.get("name"), one.tag)))
    leaves = [one for one in found if one.tag == path.rsplit("/", 1)[-1]]
    if len(leaves) != 1:
        many = f"{len(leaves)} elements" if leaves else "no element"
        lines = ", ".join(f"line {one.sourceline}" for one in leaves[:5])
        raise UberSimError(f"{path!r} fits {many} of {source}" + (f": {lines}" if lines else ""))
    return leaves[0]
