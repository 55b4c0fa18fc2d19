"""Where the elements of an expanded document come from: marks that an expansion leaves, and that errors read.

A mark is a processing instruction before an element, `<?from 12 leg.xml:3?>`: line 12 of the document stands for line 3
of leg.xml. It holds for the element's children, too, as far as they have none of their own.
"""

from __future__ import annotations

from lxml import etree
from lxml.etree import _Element as Element

NAME = "from"
_LONGEST = 200


def mark(element: Element, line: int, origin: str) -> None:
    """Says of an element where it comes from, and for which line of the document it stands."""
    element.addprevious(etree.ProcessingInstruction(NAME, f"{line} {origin}"))


def marks_in(tree: Element) -> list[Element]:
    """All marks of a tree."""
    return [node for node in tree.iter(etree.ProcessingInstruction) if getattr(node, "target", "") == NAME]


def is_marked(data: bytes) -> bool:
    """Whether there are any marks in a document."""
    return f"<?{NAME} ".encode() in data


def origin_of(element: Element) -> tuple[int, str] | None:
    """The line that an element stands for, and where it comes from; None for those of the document itself."""
    current: Element | None = element
    while current is not None:
        before = current.getprevious()
        if isinstance(before, etree._ProcessingInstruction) and before.target == NAME:
            line, _, origin = (before.text or "").partition(" ")
            if line.isascii() and line.isdigit() and len(line) < 9:
                return int(line), origin[:_LONGEST]
        current = current.getparent()
    return None
