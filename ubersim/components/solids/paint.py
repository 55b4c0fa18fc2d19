"""The colour of a robot's solid, or of the light of its lamp, as commands see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ubersim.components.commandable import Commandable
from ubersim.description.base import Light, Solid
from ubersim.geometry import Triple
from ubersim.protocol.properties import SOLID_PROPERTIES

_PARTS = {number: place for place, number in enumerate(SOLID_PROPERTIES.values())}


class Paint(Commandable):
    """What a solid looks like now, or what a lamp shines in. Nothing of it is physics."""

    description: Solid | Light

    def __init__(self, solid: Solid | Light, changed: Callable[[], None]) -> None:
        """`changed` is called when it looks different from now on."""
        super().__init__(solid)
        self.color = solid.color
        self._changed = changed

    def set(self, number: int, value: float, frame: int) -> None:
        parts = list(self.color)
        parts[_PARTS[number]] = value
        self._paint(parts)

    @property
    def changed(self) -> bool:
        """Whether it looks different from what its document says."""
        return self.color != self.description.color

    def restore(self, color: list[float] | None) -> None:
        """Looks as it did then; None: as its document says."""
        self._paint(self.description.color if color is None else color)

    def _paint(self, parts: Any) -> None:
        red, green, blue = parts
        color: Triple = (red, green, blue)
        if color != self.color:
            self.color = color
            self._changed()
