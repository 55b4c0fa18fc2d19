"""A gamepad or joystick, as Linux has it under /dev/input/js0."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

from ubersim.driving.pilot import LetGo, Sticks
from ubersim.errors import UberSimError

_EVENT = struct.Struct("<IhBB")
"""Time [ms], value, kind, number."""
_BUTTON, _AXIS, _INITIAL = 1, 2, 0x80
_FULL = 32767
_TURN, _FORWARD, _SIDEWAYS = 0, 1, 3
"""Axes: the left stick, and the right one across."""
_QUIET = 0.08
"""A stick that is less far from its middle stands there."""


class Gamepad:
    """Where its sticks are, and which buttons were pressed."""

    def __init__(self, device: Path) -> None:
        try:
            self._file = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise UberSimError(f"no gamepad at {device}: {error.strerror}") from None
        mode = os.fstat(self._file).st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):  # whose bytes would be taken for sticks and buttons
            os.close(self._file)
            raise UberSimError(f"no gamepad at {device}: it is a {'folder' if stat.S_ISDIR(mode) else 'file'}")
        self._axes: dict[int, float] = {}
        self._rest = b""
        self._let_go = LetGo()
        self.touched = False
        """Whether a stick was ever moved: until then it says nothing."""

    def update(self) -> list[int]:
        """Takes what has happened; returns the buttons that were pressed."""
        try:
            self._rest += os.read(self._file, 64 * _EVENT.size)
        except OSError:  # nothing new, or it was unplugged
            return []
        whole = len(self._rest) - len(self._rest) % _EVENT.size
        data, self._rest = self._rest[:whole], self._rest[whole:]
        buttons = []
        for _, value, kind, number in _EVENT.iter_unpack(data):
            if kind & ~_INITIAL == _AXIS:
                self._axes[number] = max(-1.0, value / _FULL)
                self.touched |= not kind & _INITIAL
            elif kind == _BUTTON and value:
                buttons.append(number)
        return buttons

    def axis(self, number: int) -> float:
        """From -1 to 1: right and down are positive, as the device has it."""
        value = self._axes.get(number, 0.0)
        return value if abs(value) > _QUIET else 0.0

    def sticks(self) -> Sticks | None:
        """How far they are moved; None as long as nobody moves them."""
        sticks = Sticks(0.0 - self.axis(_FORWARD), 0.0 - self.axis(_TURN), self.axis(_SIDEWAYS))
        return self._let_go.counting(sticks) if self.touched else None

    def close(self) -> None:
        """Lets go of the device."""
        os.close(self._file)
