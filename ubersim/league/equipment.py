"""A robot's document made ready for a match: whose it is, where it stands, what it senses and how finely it rolls."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass

from ubersim.errors import UberSimError
from ubersim.league.player_robot import RADIO, WHISTLE
from ubersim.protocol.document_settings import latency_element, with_settings

MARKERS = ("TeamMarker", "TeamSpot")
"""Solids that show a team's colour."""


@dataclass(frozen=True)
class Equipment:
    """What a match decides about one robot."""

    name: str
    team: str
    number: int
    place: tuple[float, float]
    heading: float
    """[degrees]"""
    color: tuple[float, float, float] | None = None
    level: str = ""
    """Of its cameras: `image`, `objects`, `truth`; empty: as the document has it."""
    wheels: str = ""
    """Level of its omni wheels: `contact`, `rollers`; empty: as the document has it."""
    picture: int = 0
    """Columns and rows of its cameras' pictures; 0: as the document has it."""
    frequency: float = 0.0
    """Of its cameras [Hz]; 0: as the document has it."""
    radio: float | str = 20.0
    """Latency of its radio: milliseconds, or a model's element."""


def equipped(document: str, kit: Equipment, everybody: Sequence[str]) -> str:
    """The document with all of this; `everybody` are the names of all robots of the match."""
    before = ET.fromstring(document).findtext("CSettings/Name", "").strip()
    text = with_settings(document, name=kit.name, position=(*kit.place, 0.0), heading=kit.heading)
    root = ET.fromstring(text, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
    settings = root.find("CSettings")
    assert settings is not None  # with_settings saw to it
    for tag, value in (("Team", kit.team), ("Number", str(kit.number))):
        _child(settings, tag).text = value
    others = [name for name in everybody if name != kit.name]
    for target in root.iter("Target"):
        names = [kit.name if name == before else name for name in (target.text or "").split()]
        target.text = " ".join([*names, *others] if len(names) > 1 else names)  # who is told of the ball is told of all
    for wheel in root.iter("OmniWheel"):
        if kit.wheels:
            _child(wheel, "Level").text = kit.wheels
    for camera in root.iter("CameraSensor"):
        _adjust(camera, kit)
    for solid in root.iter():
        if kit.color is not None and solid.get("name") in MARKERS:
            color = _child(solid, "Color")
            color[:] = []
            for tag, part in zip("rgb", kit.color, strict=True):
                ET.SubElement(color, tag).text = repr(float(part))
    _add_ears(root, kit)
    return ET.tostring(root, encoding="unicode")


def _child(parent: ET.Element, tag: str) -> ET.Element:
    found = parent.find(tag)
    return ET.SubElement(parent, tag) if found is None else found


def _adjust(camera: ET.Element, kit: Equipment) -> None:
    if kit.level:
        _child(camera, "Level").text = kit.level
        for switch in camera.findall("Switchable"):
            camera.remove(switch)
    if kit.picture:
        _child(camera, "Width").text = _child(camera, "Height").text = str(kit.picture)
    if kit.frequency:
        _child(camera, "Frequency").text = repr(kit.frequency)


def _add_ears(root: ET.Element, kit: Equipment) -> None:
    """A radio and the referee's whistle, for robots that have none."""
    body = root.find("Entity/RigidBodies/Body")
    if body is None:
        raise UberSimError(f"the robot of {kit.name} has no body")
    here = "<Position><x>0</x><y>0</y><z>0</z></Position>"
    if root.find(".//RefereeSensor") is None:
        body.append(ET.fromstring(f'<RefereeSensor name="{WHISTLE}">{here}<Frequency>10</Frequency></RefereeSensor>'))
    if root.find(".//RadioSensor") is None:
        radio = ET.fromstring(f'<RadioSensor name="{RADIO}">{here}<Frequency>25</Frequency></RadioSensor>')
        radio.append(latency_element(kit.radio))
        body.append(radio)
