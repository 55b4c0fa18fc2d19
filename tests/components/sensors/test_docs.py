"""docs/sensors.md speaks of every sensor that is no camera."""

import re

from tests.helpers.paths import ROOT
from ubersim.description.base import SensorDescription
from ubersim.description.registry import registry

PAGE = (ROOT / "docs" / "sensors.md").read_text(encoding="utf-8")
ELSEWHERE = {"CameraSensor", "DepthSensor", "SegmentationSensor", "LegendSensor"}
"""Described in docs/cameras.md."""


def test_every_sensor_has_its_paragraph() -> None:
    known = registry().members(SensorDescription)
    ours = {tag for tag, cls in known.items() if cls.__module__.startswith("ubersim.")} - ELSEWHERE
    assert set(re.findall(r"\*\*(\w+Sensor)\*\*:", PAGE)) == ours
