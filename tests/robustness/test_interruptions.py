"""Signals at any moment of a recording; `make soak` has two hundred of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.robustness.interruptions import interrupt_recording
from ubersim.recording import Log
from ubersim.recording.replay import replay

AT_ONCE = """
import builtins, os, signal, sys

def said(*words, **how):
    say(*words, **how)
    if words[0].startswith("listening"):
        os.kill(os.getpid(), signal.SIGTERM)

say, builtins.print = print, said
from ubersim.cli import main
main()
"""


@pytest.mark.parametrize("seed", range(6))
def test_an_interrupted_recording_is_complete_to_the_last_frame(tmp_path: Path, seed: int) -> None:
    interrupt_recording(tmp_path, Random(seed))


def test_a_signal_may_come_as_soon_as_it_listens(tmp_path: Path) -> None:
    options = ["serve", "--port", "0", "--clients", "0", "--record", str(tmp_path / "run.mcap")]
    done = subprocess.run([sys.executable, "-c", AT_ONCE, *options], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "\n0 frames" in done.stdout and not done.stderr
    with Log(tmp_path / "run.mcap") as left:
        assert left.complete and left.last == 0 and replay(left) is None
