"""Wakes a thread that sleeps in `poll`, from another thread."""

from __future__ import annotations

import contextlib
import os
import threading


class WakePipe:
    """Register it with `poll` for reading; after `wake`, the thread calls `clear` and looks at what is new."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        self._open = True
        # Once it is closed, its descriptors may be those of other files. A lock that handlers of signals may take, too.
        self._lock = threading.RLock()

    def fileno(self) -> int:
        return self._read_end

    def wake(self) -> None:
        """Ends the other thread's sleep, if the pipe has not been closed."""
        with self._lock, contextlib.suppress(BlockingIOError):  # a full pipe wakes as well
            if self._open:
                os.write(self._write_end, b"!")

    def clear(self) -> None:
        """Forgets the calls so far."""
        os.read(self._read_end, 4096)

    def close(self) -> None:
        """Frees both ends."""
        with self._lock:
            self._open = False
            os.close(self._read_end)
            os.close(self._write_end)
