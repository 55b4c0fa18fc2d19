"""Names and lines of what MuJoCo has read: compiled models know numbers only."""

from __future__ import annotations

import re
from typing import Any

_LINE = re.compile(r"line (\d+)")


class Lines:
    """Of one model."""

    def __init__(self, mujoco: Any, spec: Any, compiled: Any) -> None:
        self.model_name = str(spec.modelname or "robot")
        """What the file calls the whole."""
        self._compiled = compiled
        kinds = {
            "body": spec.bodies, "joint": spec.joints, "geom": spec.geoms, "site": spec.sites, "camera": spec.cameras,
            "actuator": spec.actuators, "sensor": spec.sensors, "equality": spec.equalities, "key": spec.keys,
            "tendon": spec.tendons, "light": spec.lights,
        }  # fmt: skip
        self._lines: dict[tuple[str, int], int] = {}
        for kind, elements in kinds.items():
            for element in elements:
                found = _LINE.search(str(element.info or ""))
                self._lines[kind, int(element.id)] = int(found[1]) if found else 0

    def of(self, kind: str, number: int) -> int:
        """The line of an element; 0 where that is not known."""
        return self._lines.get((kind, number), 0)

    def name(self, kind: str, number: int) -> str:
        """What an element is called, or its kind and number."""
        accessor = {"camera": "cam", "equality": "eq"}.get(kind, kind)
        return str(getattr(self._compiled, accessor)(int(number)).name or f"{kind}_{number}")
