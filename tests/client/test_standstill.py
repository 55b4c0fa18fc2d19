"""Two robots in one thread wait for each other for ever; the program is told why."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.robots import cart
from ubersim.client import connect, standstill
from ubersim.client.robot import RemoteRobot


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """What is done as soon as a warning comes, which ends the wait; the first wait is a short one."""
    then: list[Callable[[], None]] = []
    warn = warnings.warn

    def heard(message: str, kind: type[Warning], stacklevel: int) -> None:
        warn(message, kind, stacklevel=stacklevel + 1)
        for action in then:
            action()

    monkeypatch.setattr(standstill, "PATIENCE", 0.05)
    monkeypatch.setattr(warnings, "warn", heard)
    return then


def test_a_thread_that_brings_two_robots_is_told(serve: Callable[..., Any], told: list[Callable[[], None]]) -> None:
    port = serve().port
    with connect(cart("One"), port=port) as one:
        one.next_frame()
        driver = threading.Thread(target=lambda: [one.next_frame() for _ in range(100)])
        told.append(driver.start)
        with pytest.warns(RuntimeWarning, match="and the world for One, which this thread has brought") as caught:
            two = connect(cart("Two"), port=port)
        assert caught[0].filename == __file__
        two.close()
        driver.join()


def test_nobody_else_is_blamed(serve: Callable[..., Any], told: list[Callable[[], None]]) -> None:
    """A robot of another thread, one that has left, one of another server: none is why this one waits."""
    port, other = serve().port, serve().port
    gone = connect(cart("Gone"), port=port)
    gone.close()
    elsewhere = connect(cart("Elsewhere"), port=other)
    others: list[RemoteRobot] = []
    bringing = threading.Thread(target=lambda: others.append(connect(cart("Other"), port=port)))
    bringing.start()
    bringing.join()
    release = threading.Timer(0.5, lambda: [others[0].next_frame() for _ in range(100)])
    release.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        connect(cart("Two"), port=port).close()
    release.join()
    elsewhere.close()
    others[0].close()
