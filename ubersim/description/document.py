"""From bytes to an element tree, cheaply refusing whatever is not a plain, small XML document."""

from __future__ import annotations

import codecs

from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.source_map import is_marked
from ubersim.errors import DescriptionError, Problem

LONGEST = 32 * 2**20
"""Bytes that a document may have, unless the reader says otherwise."""
MOST_MARKS = {"<": 200_000, "=": 50_000}
"""How often each may occur, which bounds tags and attributes before a tree of them is built."""


def parse(text: str | bytes, source: str, *, comments: bool = False, longest: int = LONGEST) -> Element:
    """The root of a document, with its comments or without; every reason to refuse it is a `DescriptionError`."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    data = data.removeprefix(b"\xef\xbb\xbf")
    if reason := _objection(data, longest):
        raise DescriptionError(source, [Problem(0, "", reason)])
    # The encoding is ours to say, whatever the document declares: it is checked above.
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=not comments,
        remove_pis=not comments and not is_marked(data),
        recover=False,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        reason = str(error.msg or error).split("\n")[0][:300]
        raise DescriptionError(source, [Problem(error.lineno or 0, "", f"not well-formed XML: {reason}")]) from None


def refuse_many_triangles(root: Element, most: int, source: str) -> None:
    """Refuses a document whose meshes have more triangles than that, before the first of their numbers is read."""
    count = 0
    for element in root.iter("Triangles"):
        count += len((element.text or "").split(None, 3 * (most - count) + 3)) // 3
        if count > most:
            reason = f"its meshes have more than {most} triangles, which is what is allowed for all of them together"
            raise DescriptionError(source, [Problem(int(element.sourceline or 0), "Triangles", reason)])


def _objection(data: bytes, longest: int) -> str | None:
    if len(data) > longest:
        return f"the document has {len(data)} bytes; allowed are {longest}"
    if not data.strip():
        return "the document is empty"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "the document is in UTF-16; save it in UTF-8"
    if b"\0" in data:
        return "the document contains a NUL byte"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        return f"the document is not UTF-8: byte {error.start}, in line {line} ({error.reason}); save it in UTF-8"
    for mark, most in MOST_MARKS.items():
        if (count := data.count(mark.encode())) > most:
            return f"{mark!r} occurs {count} times in the document; allowed is {most}"
    if (place := _doctype(data)) is not None:
        line = 1 + data.count(b"\n", 0, place)
        return f"the document has a DOCTYPE, in line {line}; document types and entities are not accepted"
    return None


def _doctype(data: bytes) -> int | None:
    """Where it has one: only in the prolog, after nothing but declarations, comments and white space."""
    position = 0
    while (position := data.find(b"<", position)) >= 0:
        if data.startswith(b"<?", position):
            end = data.find(b"?>", position)
        elif data.startswith(b"<!--", position):
            end = data.find(b"-->", position + 4)
        else:
            return position if data[position : position + 9].upper() == b"<!DOCTYPE" else None
        if end < 0:
            return None
        position = end
    return None


def about(text: bytes, source: str) -> str:
    """The first sentence of the comment that a document begins with; empty if there is none."""
    before = parse(text, source, comments=True).getprevious()
    words = "" if before is None else str(before.text or "")
    return first_sentence(words)


def first_sentence(text: str) -> str:
    """On one line, of the first paragraph."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].removesuffix(".") + "." if paragraph else ""
