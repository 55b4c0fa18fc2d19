"""What a robot's commands may name: its components, and the properties of each. Wrong names are refused at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ubersim.errors import LocalProtocolError
from ubersim.protocol.names import CLIENT
from ubersim.protocol.properties import (
    AXES,
    CAMERA_PROPERTIES,
    CLIENT_PROPERTIES,
    JOINT_PROPERTIES,
    NEXT_AXIS,
    SOLID_PROPERTIES,
)
from ubersim.protocol.suggestion import suggestion

_NAMED = re.compile(r"""<([A-Za-z0-9_]+)(?:\s[^<>]*?)?\sname\s*=\s*["']([A-Za-z0-9_.-]{1,64})["']""")
_SENSOR = "Sensor"
"""What the elements of sensors end with."""

_BY_AXES = [
    {name: number for name, number in JOINT_PROPERTIES.items() if number < axes * NEXT_AXIS} for axes in range(AXES + 1)
]
"""What joints with so many axes may have."""


class CommandNames:
    """From names to numbers, by what the welcome says; of solids and lamps, which it does not list, by the document."""

    def __init__(self, document: str, welcome: Mapping[str, Any]) -> None:
        self._known: dict[str, Mapping[str, int]] = {
            name: SOLID_PROPERTIES
            for element, name in _NAMED.findall(document)
            if element != "Body" and not element.endswith(_SENSOR)  # sensors that it does not list take no commands
        }
        sensors = welcome.get("sensors", {}).items()
        self._known |= {name: about.get("properties", CAMERA_PROPERTIES) for name, about in sensors}
        joints = welcome.get("joints", {}).items()  # also those that report
        self._known |= {name: _BY_AXES[about.get("axes", AXES)] for name, about in joints}
        self._known |= {name: about["properties"] for name, about in welcome.get("motors", {}).items()}
        self._known[CLIENT] = CLIENT_PROPERTIES
        self._numbers: dict[tuple[str, str | int], int] = {}

    def number(self, component: str, name: str | int) -> int:
        """That of a property; numbers stay as they are, for components that have their own."""
        found = self._numbers.get((component, name))
        if found is None:
            properties = self.properties(component)
            if isinstance(name, str) and name not in properties:
                raise LocalProtocolError(f"{component} has no property {name!r}; {suggestion(name, properties)}")
            found = self._numbers[component, name] = properties[name] if isinstance(name, str) else name
        return found

    def properties(self, component: str) -> Mapping[str, int]:
        """What a component may have, by name; a component that there is not is an error."""
        if component not in self._known:
            raise LocalProtocolError(f"there is no component {component!r}; {suggestion(component, self._known)}")
        return self._known[component]
