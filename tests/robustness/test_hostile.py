"""A hostile program beside a good one, over TCP and a Unix socket: the good one is told the same, and not held up."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from tests.robustness.good_client import GoodClient
from tests.robustness.hostile import DEEDS, Deed, old_acks_and_sleep
from tests.robustness.test_faults import undisturbed
from ubersim.simulation import Simulation

WHILE = 100
"""Frames that the good one gets through while something is done to the server."""


def beside(deed: Deed, host: str, **options: float) -> None:
    """Does it, with the good client beside."""
    serving = Serving(Simulation(), None, clients=1, host=host, **options)
    good = GoodClient(serving.port if serving.port else host.removeprefix("unix:"))

    def reach() -> socket.socket:
        if serving.port:
            return socket.create_connection((host, serving.port), timeout=60)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(60)
        connection.connect(host.removeprefix("unix:"))
        return connection

    def goes_on() -> None:
        before = good.frames
        until(lambda: good.frames > before + WHILE or not good.is_alive())

    deed(reach, goes_on)
    serving.server.stop()
    serving.result()
    count, told = good.result()
    assert (count, told) == undisturbed(count)


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__)
@pytest.mark.parametrize("over", ["tcp", "unix"])
def test_the_good_one_is_told_the_same_and_goes_on(deed: Deed, over: str, tmp_path: Path) -> None:
    beside(deed, f"unix:{tmp_path}/s" if over == "unix" else "127.0.0.1")


def test_who_never_answers_is_dropped() -> None:
    beside(old_acks_and_sleep, "127.0.0.1", timeout=3.0)
