"""Programs that pages show, and a server for them to talk to."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.helpers.paths import ROOT


def blocks(page: str, language: str) -> list[str]:
    """The code on a page, by its path in the repository."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@contextmanager
def served(*options: str) -> Iterator[int]:
    """The port of `ubersim serve`, which is stopped in the end unless it has done all of its frames."""
    command = [sys.executable, "-m", "ubersim.cli", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline().rpartition(":")[2])
        finally:
            server.terminate()


def run_program(text: str, *, folder: Path | None = None, port: int = 0, first: str = "") -> str:
    """What a program prints that is run as it is shown, after `first`; its servers are on another port.

    The folder is an empty one if none is given: readers who installed a wheel have no repository around them.
    """
    if folder is None:
        with tempfile.TemporaryDirectory() as empty:
            return run_program(text, folder=Path(empty), port=port, first=first)
    head = "import functools, ubersim\n"
    for name in ("connect", "supervise"):
        head += f"ubersim.{name} = functools.partial(ubersim.{name}, port={port})\n"
    command = [sys.executable, "-c", head + first + text]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
