"""A server and one program beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ubersim.server import Server, run_with_program
from ubersim.simulation import Simulation

BALANCE = """
import sys
import ubersim
with ubersim.connect("segway", port={port}) as robot:
    for _ in robot:
        pass
print("balanced")
print("no errors", file=sys.stderr)
"""
SLEEP = "import time; time.sleep(99)"
STAY = """
import subprocess, sys, time
print(subprocess.Popen([sys.executable, "-c", "{sleep}"]).pid, flush=True)
time.sleep(99)
"""


def program(text: str, **filled: object) -> list[str]:
    """A command that runs this."""
    return [sys.executable, "-c", text.format(**filled)]


@pytest.mark.parametrize(("apart", "output"), [(True, "balanced"), (False, "balanced\nno errors")])
def test_what_it_said_is_kept_and_both_have_ended(*, apart: bool, output: str) -> None:
    server = Server(Simulation(), port=0, clients=1)
    command = program(BALANCE, port=server.address.port)
    ended = run_with_program(server, command, 50, errors_apart=apart, patience=60)
    assert server.simulation.frame == 50
    assert (ended.code, sorted(ended.output.split("\n"))) == (0, sorted(output.split("\n")))
    assert ended.errors == ("no errors" if apart else "")


def test_a_program_that_ends_early_ends_the_server(tmp_path: Path) -> None:
    server = Server(Simulation(), port=0, clients=1)
    command = program("import os, sys; print(os.getcwd()); sys.exit(3)")
    ended = run_with_program(server, command, 50, folder=tmp_path)
    assert (server.simulation.frame, ended.code, ended.output) == (0, 3, str(tmp_path.resolve()))


def test_a_program_that_does_not_end_is_killed_with_what_it_has_started() -> None:
    server = Server(Simulation(), port=0, clients=0)
    ended = run_with_program(server, program(STAY, sleep=SLEEP), 3, patience=3.0)
    assert server.simulation.frame == 3 and ended.code < 0
    assert not alive(int(ended.output))


def alive(process: int) -> bool:
    """Whether a process is there, and no mere entry of one that has ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return bool(state.stdout.strip()) and not state.stdout.startswith("Z")
