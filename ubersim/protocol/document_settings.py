"""Changes in a robot document's `CSettings`, so that one file serves for several robots."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from numbers import Real
from typing import Literal

from ubersim.errors import LocalProtocolError
from ubersim.protocol.welcome import LATEST
from ubersim.timing.latency import Constant, LatencyModel

Timestamps = Literal["all", "readings"]
"""Which frames are sent: all of them, or those with readings and one per second."""


def with_settings(
    document: str,
    *,
    name: str | None = None,
    latency: float | str | LatencyModel | None = None,
    position: tuple[float, float, float] | None = None,
    heading: float = 0.0,
    token: str | None = None,
    protocol: int | None = None,
    loose: bool | None = None,
    sensors: Iterable[str] | None = None,
    timestamps: Timestamps | None = None,
) -> str:
    """The document with these settings in place of its own; without any, the very same text."""
    if all(setting is None for setting in (name, latency, position, token, protocol, loose, sensors, timestamps)):
        return document
    try:
        # Comments and marks are kept, so that line numbers in the server's complaints stay right.
        root = ET.fromstring(document, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True, insert_pis=True)))
    except ET.ParseError as error:
        raise LocalProtocolError(f"the robot document is not XML: {error}") from None
    settings = root.find("CSettings")
    if settings is None:
        raise LocalProtocolError("the robot document has no CSettings")
    version = None if protocol is None else str(protocol)
    coupling = None if loose is None else str(loose).lower()
    wanted = None if sensors is None else " ".join(sensors)
    if protocol is None and (sensors is not None or timestamps is not None):
        version = str(LATEST)
    texts = {"Name": name, "Token": token, "Protocol": version, "Loose": coupling}
    for tag, value in {**texts, "Sensors": wanted, "Timestamps": timestamps}.items():
        if value is not None:
            _fresh(settings, tag).text = value
    if latency is not None:
        element, new = _fresh(settings, "Latency"), latency_element(latency)
        element.text, element.attrib["model"] = new.text, new.get("model", "")
        element[:] = list(new)
        if not element.attrib["model"]:
            del element.attrib["model"]
    if position is not None:
        spawn = _fresh(settings, "Spawn")
        place = ET.SubElement(spawn, "Position")
        for axis, coordinate in zip("xyz", position, strict=True):
            ET.SubElement(place, axis).text = repr(float(coordinate))
        ET.SubElement(spawn, "Heading").text = repr(float(heading))
    return ET.tostring(root, encoding="unicode")


def latency_element(latency: float | str | LatencyModel) -> ET.Element:
    """A latency as documents have it: from a number of milliseconds, a model, or the element's own text."""
    if isinstance(latency, bool) or not isinstance(latency, str | Real | LatencyModel):
        raise LocalProtocolError(no_latency(latency))
    if isinstance(latency, str):
        if not latency.lstrip().startswith("<"):
            raise LocalProtocolError(no_latency(latency))
        try:
            given = ET.fromstring(latency)
        except ET.ParseError as error:
            raise LocalProtocolError(f"the latency {latency[:80]!r} is no element: {error}") from None
        if given.tag != "Latency":
            raise LocalProtocolError(f"a latency is an element Latency, not {given.tag[:80]}")
        return given
    element = ET.Element("Latency")
    if not isinstance(latency, LatencyModel):
        element.text = str(latency)
    elif isinstance(latency, Constant) and not latency.loss and latency.order == "keep":
        element.text = repr(latency.value)
    else:
        element.set("model", latency.kind)
        for field in dataclasses.fields(latency):
            if (value := getattr(latency, field.name)) != field.default:
                tag = field.metadata.get("tag") or "".join(part.title() for part in field.name.split("_"))
                ET.SubElement(element, tag).text = str(value)
    return element


def no_latency(given: object) -> str:
    """What to say to whoever gives something else."""
    return f"a latency is a number of milliseconds, a model, or its element's text, not {repr(given)[:80]}"


def latency_text(latency: float | str | LatencyModel) -> str:
    """The same, as text."""
    return ET.tostring(latency_element(latency), encoding="unicode")


def _fresh(parent: ET.Element, tag: str) -> ET.Element:
    """The child of that name, emptied, or a new one."""
    child = parent.find(tag)
    if child is None:
        return ET.SubElement(parent, tag)
    tail = child.tail
    child.clear()
    child.tail = tail
    return child
