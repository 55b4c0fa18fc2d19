"""Single key presses from a terminal, without waiting for any; none where the standard input is not a terminal."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
from collections import deque

_ARROWS = {"\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left"}
_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|.", re.DOTALL)


class Keys:
    """While it is entered, keys are read one by one and not echoed; the terminal is put back afterwards."""

    def __enter__(self) -> Keys:
        self._before = None
        self._waiting: deque[str] = deque()
        if sys.stdin.isatty():
            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSADRAIN)  # what was typed before counts, too
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def pressed(self) -> str:
        """The key that was pressed, e.g. `up` or `q`; empty if none was."""
        if not self._waiting and self._before is not None and select.select([sys.stdin], [], [], 0)[0]:
            self._waiting += keys_in(os.read(sys.stdin.fileno(), 1024))
        return self._waiting.popleft() if self._waiting else ""


def keys_in(data: bytes) -> list[str]:
    """The keys whose codes a terminal has sent; arrows by their names."""
    return [_ARROWS.get(key, key) for key in _KEY.findall(data.decode(errors="ignore"))]
