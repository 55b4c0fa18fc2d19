"""The loop keeps to its cores; everything else goes where it likes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ubersim.errors import UberSimError
from ubersim.server.affinity import cores_of

ALLOWED = os.sched_getaffinity(0)
SERVE = ("serve", "--port", "0", "--clients", "0", "--frames", "3", "--affinity")
PROGRAM = """
import os, sys
sys.argv[1:] = {arguments!r}
from ubersim.cli import main
try:
    main()
finally:
    print("pinned:", *os.sched_getaffinity(0))
"""


def test_cores_are_numbers_and_ranges() -> None:
    first = min(ALLOWED)
    assert cores_of(str(first)) == cores_of(f"{first}-{first}") == cores_of(f"{first}, {first}") == {first}


@pytest.mark.parametrize("text", ["", "x", "-1", "0,", "1.5", "99999"])
def test_what_is_no_core_is_refused(text: str) -> None:
    with pytest.raises(UberSimError, match="cores are numbers and ranges"):
        cores_of(text)


@pytest.mark.parametrize("text", ["9999", "3-2"])
def test_cores_that_there_are_not_are_refused(text: str) -> None:
    with pytest.raises(UberSimError, match=f"this process may use {min(ALLOWED)}"):
        cores_of(text)


def test_the_loop_is_pinned() -> None:
    core = str(max(ALLOWED))
    program = PROGRAM.format(arguments=(*SERVE, core))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert f"pinned: {core}\n" in done.stdout and "3 frames" in done.stdout


WORKERS = """
import os
from pathlib import Path
from ubersim.cli.serve import _pin
from ubersim.simulation import Simulation
with Simulation(render_workers=2) as simulation:
    _pin(simulation, frozenset({{{core}}}), 2)
    children = Path(f"/proc/self/task/{{os.getpid()}}/children").read_text().split()
    print(len(children) >= 2, [sorted(os.sched_getaffinity(int(child))) for child in children])
"""


def test_processes_that_draw_are_not_pinned() -> None:
    program = WORKERS.format(core=max(ALLOWED))
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.startswith("True") and said.count(str(sorted(ALLOWED))) == said.count("[") - 1
