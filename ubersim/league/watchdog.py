"""Ends calls into foreign code that take too long, wherever they hang in Python."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

_raise_in: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
_POLL = 0.05
"""How often it looks [s]."""
_AGAIN = 0.2
"""Until it tries once more, where the exception got lost in something that swallows all of them [s]."""


class Overtime(BaseException):
    """A call took too long. No Exception, so that nothing in it that handles errors goes on."""


class Watchdog:
    """Watches one call at a time of one thread. A call into C that never returns is out of its reach."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._deadline: float | None = None
        self._caller = 0
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def guard(self, call: Callable[[], None]) -> bool:
        """Does it; False if it took too long, and was ended."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="players' watchdog", daemon=True)
            self._thread.start()
        try:
            try:
                self._caller, self._deadline = threading.get_ident(), time.monotonic() + self._seconds
                call()
            finally:
                with self._lock:
                    self._deadline = None
                    _raise_in(ctypes.c_ulong(self._caller), None)  # what was raised too late is taken back
        except Overtime:
            return False
        return True

    def close(self) -> None:
        """Watches no more."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(_POLL):
            with self._lock:
                now = time.monotonic()
                if self._deadline is not None and now > self._deadline:
                    self._deadline = now + _AGAIN
                    _raise_in(ctypes.c_ulong(self._caller), ctypes.py_object(Overtime))
