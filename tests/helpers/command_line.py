"""`ubersim` in this process: what a verb says and returns, without the start of another Python."""

from __future__ import annotations

import contextlib
import io
import subprocess
from pathlib import Path

import pytest

from ubersim.cli import main


def ubersim(*arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`ubersim ARGUMENTS`, in that folder if one is given; nothing is a terminal."""
    words = ["ubersim", *map(str, arguments)]
    said, complaints = io.StringIO(), io.StringIO()
    code: object = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", words)
        if folder is not None:
            patch.chdir(folder)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaints):
            try:
                main()
            except SystemExit as end:
                code = end.code
    assert code is None or isinstance(code, int), "others are printed by Python itself"
    return subprocess.CompletedProcess(words, code or 0, said.getvalue(), complaints.getvalue())
