"""Single key presses from a terminal, without waiting for any; none where the standard input is not a terminal."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty

_ARROWS = {b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left"}


class Keys:
    """While it is entered, keys are read one by one and not echoed; the terminal is put back afterwards."""

    def __enter__(self) -> Keys:
        self._before = None
        if sys.stdin.isatty():
            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def pressed(self) -> str:
        """The key that was pressed, e.g. `up` or `q`; empty if none was."""
        if self._before is None or not select.select([sys.stdin], [], [], 0)[0]:
            return ""
        pressed = os.read(sys.stdin.fileno(), 8)
        return _ARROWS.get(pressed, pressed.decode(errors="ignore")[:1])
