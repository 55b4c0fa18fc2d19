"""A server and one program beside it, run together to the end: neither waits for the other if that one is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ubersim.server.server import Server


@dataclass(frozen=True)
class EndedProgram:
    """What is left of a program."""

    code: int
    """Its exit code."""
    output: str
    """What it printed, at its ends without white space."""
    errors: str
    """What it printed as errors; empty, if these were to be part of the output."""


def run_with_program(
    server: Server,
    command: Sequence[str],
    frames: int,
    *,
    folder: Path | str | None = None,
    errors_apart: bool = True,
    patience: float = 5.0,
) -> EndedProgram:
    """Runs a server until its frames are done or the program has ended, and closes it.

    A program that has not ended `patience` seconds later is killed, with whatever it has started.
    """
    errors_to = subprocess.PIPE if errors_apart else subprocess.STDOUT
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors_to,
        cwd=folder,
        start_new_session=True,
    ) as program:
        said: list[bytes | None] = []

        def listen() -> None:
            """A program that ends early also ends the server, which would wait for it."""
            said.extend(program.communicate())
            server.stop()

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            server.run(frames)
        finally:
            server.close()
            listener.join(patience)
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
            listener.join(patience)
    output, errors = [(text or b"").decode(errors="replace").strip() for text in [*said, None, None][:2]]
    return EndedProgram(program.returncode, output, errors)
