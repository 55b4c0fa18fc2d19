"""Starts `ubersim serve` as a program of its own, for examples in which robots come over TCP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(*options: str) -> Iterator[int]:
    """A server on a free port, which is returned, with whatever further options `ubersim serve` takes.

    Leaving the block waits for the server's end, so let it have one: `--frames`.
    """
    command = [str(Path(sys.executable).with_name("ubersim")), "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline().rpartition(":")[2])  # listening on 127.0.0.1:40123
            server.communicate()
        except BaseException:
            server.kill()  # which would wait for its clients for ever
            raise
    if server.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {server.returncode}")
