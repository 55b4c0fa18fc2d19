"""Makes one document of several files, so that a client can send it: parts are included, mesh files inlined.

`python -m ubersim.description.expansion robot.xml` prints what clients in other languages send.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.document import LONGEST, parse
from ubersim.description.drive_files import inline_drives
from ubersim.description.include import Include
from ubersim.description.mesh_files import inline_meshes
from ubersim.description.parse_context import line_of, path_of, tag_of
from ubersim.description.placement import move, pose_of
from ubersim.description.resources import part_of_robots
from ubersim.description.source_map import mark, marks_in, origin_of
from ubersim.description.template import fill_template
from ubersim.errors import DescriptionError, Problem
from ubersim.files import read_file, resolved
from ubersim.protocol.suggestion import suggestion

DEEPEST = 8
"""How many parts may be within one another."""
PARTS, PART = "Parts", "Part"


def expand(text: str | bytes, folder: str | Path, *, source: str = "<document>") -> str:
    """The document with its parts and mesh files in it; its own lines keep their numbers."""
    # Comments stay, and what is put in is one line, so that later errors point to the right lines of the original.
    root = parse(text, source, comments=True)
    if root.find(".//File") is None:
        return text if isinstance(text, str) else text.decode("utf-8-sig")
    problems = _complete(root, Path(folder), ())
    if problems:
        raise DescriptionError(source, problems)
    return etree.tostring(root.getroottree(), encoding="unicode")


def _complete(root: Element, folder: Path, within: tuple[Path, ...]) -> list[Problem]:
    """Puts in what is in other files; what is wrong with that. `within`: the parts that it is in itself."""
    problems = [*inline_meshes(root, folder), *inline_drives(root, folder)]
    for parts in list(root.iter(PARTS)):
        owner = parts.getparent()
        assert owner is not None
        for include in list(parts.iterchildren(Include.tag)):
            try:
                part = _part(include, folder, within)
            except DescriptionError as error:
                problems += error.problems
            else:
                _merge(part, owner)
        _remove(parts)
    return problems


def _part(include: Element, folder: Path, within: tuple[Path, ...]) -> Element:
    """The part that an `Include` names, complete, in its place, and marked with where it comes from."""
    tags = {entry.tag for entry in Include.entries()}
    for child in include.iterchildren("*"):
        if child.tag not in tags:
            raise _trouble(child, f"unknown element {tag_of(child)}; {suggestion(tag_of(child), tags)}")
    name = (include.findtext("File") or "").strip()
    if not name:
        raise _trouble(include, "File is missing")
    path = folder / name
    if not path.exists():
        path = part_of_robots(name) or path
    if (place := resolved(path)) in within:
        raise _trouble(include, f"{name!r} includes itself{_by_way_of(within[within.index(place) + 1 :])}")
    if len(within) == DEEPEST:
        raise _trouble(include, f"{name!r} is in parts within parts, {DEEPEST} deep, which is all that is allowed")
    try:
        part = parse(read_file(path, LONGEST), name)
    except OSError as error:
        raise _trouble(include, f"{name!r} cannot be read: {error.strerror}") from None
    except DescriptionError as error:
        raise DescriptionError("", [_seen_from(include, name, problem) for problem in error.problems]) from None
    if part.tag != PART:
        raise _trouble(include, f"the root element of {name!r} is {tag_of(part)}; it has to be {PART}")
    problems = [*fill_template(part, include.findtext("With") or ""), *_complete(part, path.parent, (*within, place))]
    if problems:
        raise DescriptionError("", [_seen_from(include, name, problem) for problem in problems])
    move(part, pose_of(include))
    _mark_all(part, line_of(include), name)
    _put_on_one_line(part)
    return part


def _by_way_of(parts: tuple[Path, ...]) -> str:
    return f", by way of {', '.join(part.name for part in parts)}" if parts else ""


def _trouble(element: Element, message: str) -> DescriptionError:
    return DescriptionError("", [Problem(line_of(element), path_of(element), message)])


def _seen_from(include: Element, name: str, problem: Problem) -> Problem:
    """A problem in a part, as one of the document that includes it."""
    place = f"{name}:{problem.line}" if problem.line else name
    return Problem(line_of(include), problem.element, f"{problem.message} (from {place})")


def _mark_all(part: Element, line: int, name: str) -> None:
    own = [element for element in part.iterdescendants("*") if origin_of(element) is None]
    for inner in marks_in(part):
        inner_line, _, origin = (inner.text or "").partition(" ")
        inner.text = f"{line} {origin}, included by {name}:{inner_line}"
    for element in own:
        parent = element.getparent()
        # Elements of one line are marked together; but those with children may come to stand elsewhere.
        if len(element) or parent is None or parent.sourceline != element.sourceline:
            mark(element, line, f"{name}:{element.sourceline}")


def _put_on_one_line(part: Element) -> None:
    for node in part.iter():
        node.tail = _squeezed(node.tail)
        if isinstance(node.tag, str):
            node.text = _squeezed(node.text)


def _squeezed(text: str | None) -> str | None:
    return " ".join(text.split()) if text and "\n" in text else text


def _merge(part: Element, owner: Element) -> None:
    """Adds the part's lists to those of the same name."""
    for addition in part.iterchildren("*"):
        existing = owner.find(tag_of(addition))
        if existing is None:
            owner.append(addition)
        else:
            existing.extend(list(addition))


def _remove(parts: Element) -> None:
    """Takes the list away and leaves its lines."""
    lines = etree.tostring(parts, encoding="unicode", with_tail=False).count("\n") * "\n" + (parts.tail or "")
    before, owner = parts.getprevious(), parts.getparent()
    assert owner is not None
    if before is None:
        owner.text = (owner.text or "") + lines
    else:
        before.tail = (before.tail or "") + lines
    owner.remove(parts)


def _pages(paths: list[str]) -> Iterator[str]:
    for path in map(Path, paths):
        yield expand(read_file(path), path.parent, source=str(path))


if __name__ == "__main__":
    print(*_pages(sys.argv[1:]), sep="\n")
