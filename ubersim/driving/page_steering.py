"""Keys and gamepad of the live page: what a terminal's are, but held down and let go instead of typed."""

from __future__ import annotations

from ubersim.driving.pilot import LetGo, Sticks
from ubersim.protocol.inputs import PageGamepad, PageKeyboard
from ubersim.protocol.program_parameters import ParameterDeclarer

REPEAT = 0.25
"""A key that is held counts again after so long [s]."""
_KEYS = {"ArrowUp": "up", "ArrowDown": "down", "ArrowLeft": "left", "ArrowRight": "right", "Space": " "}
_TURN, _FORWARD, _SIDEWAYS = 0, 1, 2
"""Axes of a browser's gamepad: the left stick, and the right one across."""
_QUIET = 0.08
"""A stick that is less far from its middle stands there."""


class PageSteering:
    """What is held down at the page, as presses of keys and places of sticks."""

    def __init__(self, robot: ParameterDeclarer) -> None:
        self._keyboard, self._gamepad = PageKeyboard(robot), PageGamepad(robot)
        self._counted: dict[str, float] = {}
        self._buttons = False
        self._let_go = LetGo()

    def pressed(self, time: float) -> list[str]:
        """The keys that count at this time: those newly held, and those held long enough to count again."""
        held = list(self._keyboard)
        # What has counted after this time did so before a supervisor put time back.
        self._counted = {key: then for key, then in self._counted.items() if key in held and then <= time}
        counting = [key for key in held if time >= self._counted.get(key, -REPEAT) + REPEAT]
        self._counted |= dict.fromkeys(counting, time)
        buttons = any(value > 0.5 for value in self._gamepad.buttons)
        kick = ["k"] if buttons and not self._buttons else []
        self._buttons = buttons
        return [_KEYS.get(key, key) for key in counting] + kick

    def sticks(self) -> Sticks | None:
        """How far the gamepad's sticks are moved; None as long as nobody moves them."""
        axes = [value if abs(value) > _QUIET else 0.0 for value in [*self._gamepad.axes, 0.0, 0.0, 0.0][:3]]
        return self._let_go.counting(Sticks(0.0 - axes[_FORWARD], 0.0 - axes[_TURN], axes[_SIDEWAYS]))
