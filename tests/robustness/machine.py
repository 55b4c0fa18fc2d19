"""A server in a process of its own, which may be short of something, and is ended by signals."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile


class Machine:
    """`ubersim serve` in a process of its own, which may be short of something."""

    def __init__(
        self,
        *options: object,
        limits: dict[int, int] | None = None,
        complaints: int | None = None,
        **environment: str,
    ) -> None:
        """`complaints`: where it is to say what goes on."""

        def scarce() -> None:
            for limit, amount in (limits or {}).items():
                resource.setrlimit(limit, (amount, amount))

        # Not a pipe, which would have to be read all the time.
        self._complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115
        command = [sys.executable, "-m", "ubersim.cli", "serve", "--port", "0", "--verbose", *map(str, options)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self._complaints if complaints is None else complaints,
            text=True,
            preexec_fn=scarce,
            env=os.environ | environment,
        )
        self.port = self.read_port()

    def read_port(self) -> int:
        """The number at the end of the next line that it prints."""
        assert self.process.stdout is not None
        return int(self.process.stdout.readline().rpartition(":")[2])

    def stop(self, number: signal.Signals = signal.SIGTERM, again: signal.Signals | None = None) -> tuple[int, str]:
        """Ends it by a signal, or two; its exit code and all that it has said since."""
        self.process.send_signal(number)
        if again is not None:
            self.process.send_signal(again)
        return self.end()

    def end(self) -> tuple[int, str]:
        """Waits for its end; its exit code and all that it has said."""
        try:
            said, _ = self.process.communicate(timeout=120)
        finally:
            self.process.kill()
        self._complaints.seek(0)
        return self.process.returncode, said + self._complaints.read()
