"""Changes in a robot document's `CSettings`, so that one file serves for several robots."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from ubersim.errors import LocalProtocolError


def with_settings(
    document: str,
    *,
    name: str | None = None,
    latency: float | None = None,
    position: tuple[float, float, float] | None = None,
    heading: float = 0.0,
    token: str | None = None,
) -> str:
    """The document with these settings in place of its own; without any, the very same text."""
    if all(setting is None for setting in (name, latency, position, token)):
        return document
    try:
        # Comments and marks are kept, so that line numbers in the server's complaints stay right.
        root = ET.fromstring(document, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True, insert_pis=True)))
    except ET.ParseError as error:
        raise LocalProtocolError(f"the robot document is not XML: {error}") from None
    settings = root.find("CSettings")
    if settings is None:
        raise LocalProtocolError("the robot document has no CSettings")
    for tag, value in (("Name", name), ("Latency", latency), ("Token", token)):
        if value is not None:
            _fresh(settings, tag).text = str(value)
    if position is not None:
        spawn = _fresh(settings, "Spawn")
        place = ET.SubElement(spawn, "Position")
        for axis, coordinate in zip("xyz", position, strict=True):
            ET.SubElement(place, axis).text = repr(float(coordinate))
        ET.SubElement(spawn, "Heading").text = repr(float(heading))
    return ET.tostring(root, encoding="unicode")


def _fresh(parent: ET.Element, tag: str) -> ET.Element:
    """The child of that name, emptied, or a new one."""
    child = parent.find(tag)
    if child is None:
        return ET.SubElement(parent, tag)
    tail = child.tail
    child.clear()
    child.tail = tail
    return child
