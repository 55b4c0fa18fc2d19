"""A function in a process of its own, which may crash or hang without harm; the same on one machine and on many."""

from __future__ import annotations

import pickle
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from ubersim.errors import UberSimError
from ubersim.transport.child_process import end_process


class RunFailed(UberSimError):
    """The function did not come to its end, and why."""


class GuardedProcess:
    """A process that is started when it is needed, and again when it is gone."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._retired = False

    def call(self, function: Callable[..., Any], *arguments: Any, limit: float) -> Any:
        """What the function returns; `RunFailed` if it raises, crashes, or takes longer than `limit` seconds."""
        if self._retired:
            raise RunFailed("interrupted")
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(pickle.dumps((function, arguments)))
            process.stdin.flush()
            if not select.select([process.stdout], [], [], limit)[0]:
                self.close()
                raise RunFailed(f"time limit: it took longer than {limit:g} s")
            well, answer = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = process.wait(10)
            self.close()
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            raise RunFailed(f"crash: its process ended with {how}") from None
        if not well:
            raise RunFailed(str(answer))
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "ubersim.sweeps.worker"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert self._process.stdout is not None
            try:
                pickle.load(self._process.stdout)  # it is ready
            except EOFError:
                self.close()  # it may not have ended altogether, and would be taken for one that runs
                raise RunFailed(f"a process cannot be started: {sys.executable} -m ubersim.sweeps.worker") from None
        return self._process

    def close(self) -> None:
        """Ends the process, whatever it is doing."""
        if self._process is not None:
            process, self._process = self._process, None
            end_process(process)

    def retire(self) -> None:
        """Ends it, for good."""
        self._retired = True
        self.close()


_OWN = threading.local()
_ALL: list[GuardedProcess] = []


def guarded(function: Callable[..., Any], *arguments: Any, limit: float) -> Any:
    """Calls a function in the process that belongs to this thread."""
    if not hasattr(_OWN, "process"):
        _OWN.process = GuardedProcess()
        _ALL.append(_OWN.process)
    return _OWN.process.call(function, *arguments, limit=limit)


def close_all() -> None:
    """Ends the processes of all threads."""
    while _ALL:
        _ALL.pop().retire()
