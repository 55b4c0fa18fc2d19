"""A server and its client program: neither waits for the other if that one is dead."""

from __future__ import annotations

import pytest

from ubersim.demos.client_process import run_with_client
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation


def test_a_program_that_never_connects_is_not_waited_for() -> None:
    with pytest.raises(UberSimError, match=r"omni.py failed in frame 0: it just ended"):
        run_with_client(Simulation(), 100, client="omni.py", robot="segway")


def test_a_program_that_is_refused_says_why() -> None:
    with pytest.raises(UberSimError, match=r"(?s)segway_pd.py failed in frame 0: .*nonsense"):
        run_with_client(Simulation(), 100, client="segway_pd.py", robot="segway", arguments=["--script", "nonsense"])
