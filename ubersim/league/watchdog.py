"""Ends calls into foreign code that take too long, wherever they hang in Python."""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Callable
from typing import Any

_raise_in: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
_POLL = 0.05
"""How often it looks [s]."""
_IDLE = 10.0
"""How many times as long a call may last that does nothing, as one that waits for something."""
_AGAIN = 0.2
"""Until it tries once more, where the exception got lost in something that swallows all of them [s]."""


class Overtime(BaseException):
    """A call took too long. No Exception, so that nothing in it that handles errors goes on."""


class Watchdog:
    """Watches one call at a time of one thread. A call into C that never returns is out of its reach.

    What counts is the processor time of that thread, so that a busy machine ends nobody; who does nothing for many
    times as long is ended as well.
    """

    def __init__(self, seconds: float) -> None:
        """Infinitely many seconds: it lets everybody do, and costs nothing."""
        self._seconds = seconds
        self._lock = threading.Lock()
        self._deadlines: tuple[float, float] | None = None
        """Of the thread's processor time, and of real time."""
        self._caller = 0
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def guard(self, call: Callable[[], None]) -> bool:
        """Does it; False if it took too long, and was ended."""
        if self._seconds == math.inf:
            call()
            return True
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="players' watchdog", daemon=True)
            self._thread.start()
        try:
            try:
                self._caller = threading.get_ident()
                self._deadlines = time.thread_time() + self._seconds, time.monotonic() + _IDLE * self._seconds
                call()
            finally:
                self._release()
        except Overtime:
            self._release()  # the exception may have come before that was done
            return False
        return True

    def close(self) -> None:
        """Watches no more."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(_POLL):
            with self._lock:
                if self._deadlines is None:
                    continue
                working, now = time.clock_gettime(time.pthread_getcpuclockid(self._caller)), time.monotonic()
                if working > self._deadlines[0] or now > self._deadlines[1]:
                    self._deadlines = working + _AGAIN, now + _AGAIN
                    _raise_in(ctypes.c_ulong(self._caller), ctypes.py_object(Overtime))

    def _release(self) -> None:
        """Nothing is raised from now on, and what was raised a moment too late has come.

        To take it back would slow every function call of the interpreter from then on, and hang what traces them.
        """
        with self._lock:
            self._deadlines = None
        _checkpoint()


def _checkpoint() -> None:
    """Where an exception on its way to this thread arrives: the interpreter looks at the start of every function."""
