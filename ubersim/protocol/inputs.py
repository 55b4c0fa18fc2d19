"""Keyboard, mouse and gamepad of the page, as parameters that a program declares: so they count from exact frames on,
are logged and replayed, and a supervisor may set them as well."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator
from typing import Any

from ubersim.protocol.program_parameters import Parameter, ParameterDeclarer

KEYS, MOUSE, GAMEPAD = "Keys", "Mouse", "Gamepad"
INPUTS = (KEYS, MOUSE, GAMEPAD)
"""What these parameters are called; each is a text."""


class PageKeyboard:
    """The keys that are held down at the page in this frame: `"ArrowUp" in keyboard`, by the browser's names."""

    def __init__(self, robot: ParameterDeclarer) -> None:
        self._parameter = robot.parameter(KEYS, "")

    def __contains__(self, key: object) -> bool:
        return key in self._held()

    def __iter__(self) -> Iterator[str]:
        return iter(self._held())

    def _held(self) -> list[str]:
        return str(self._parameter.value).split()


class PageMouse:
    """Where the mouse is on the page's scene, from -1 to 1 (right, up), and which of its buttons are held down."""

    def __init__(self, robot: ParameterDeclarer) -> None:
        self._parameter = robot.parameter(MOUSE, "")

    @property
    def position(self) -> tuple[float, float]:
        """Right and up, each from -1 to 1."""
        x, y = [*_numbers(self._parameter, "at"), 0.0, 0.0][:2]
        return x, y

    @property
    def buttons(self) -> frozenset[int]:
        """0 is the left one, 1 the middle one, 2 the right one."""
        return frozenset(int(number) for number in _numbers(self._parameter, "buttons"))


class PageGamepad:
    """The first gamepad of the browser: axes from -1 to 1, buttons from 0 to 1, in the browser's order."""

    def __init__(self, robot: ParameterDeclarer) -> None:
        self._parameter = robot.parameter(GAMEPAD, "")

    @property
    def axes(self) -> list[float]:
        """Empty as long as there is no gamepad."""
        return _numbers(self._parameter, "axes")

    @property
    def buttons(self) -> list[float]:
        """How far each is pressed."""
        return _numbers(self._parameter, "buttons")


def _numbers(parameter: Parameter, name: str) -> list[float]:
    """A list of finite numbers of the JSON object in a text; whatever else is in it, empty."""
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        found: Any = json.loads(str(parameter.value)).get(name, [])
        numbers = [float(number) for number in found]
        return numbers if all(map(math.isfinite, numbers)) else []
    return []
