"""Looking for bytes before sleeping: the same bytes and errors."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from ubersim.transport import spin_wait
from ubersim.transport.spin_wait import spinning_recv

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    here, there = socket.socketpair()
    with here, there:
        yield here, there


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin_wait, "CORES", 2)


def test_bytes_that_are_there_are_taken(pair: Pair) -> None:
    pair[1].send(b"abc")
    assert spinning_recv(pair[0])(64) == b"abc"


def test_bytes_that_come_after_it_has_fallen_asleep_are_taken(pair: Pair) -> None:
    threading.Timer(50 * spin_wait.SPIN, pair[1].send, [b"late"]).start()
    assert spinning_recv(pair[0])(64) == b"late"


def test_the_end_of_a_connection_is_an_empty_answer(pair: Pair) -> None:
    pair[1].close()
    assert spinning_recv(pair[0])(64) == b""


def test_a_timeout_is_as_ever(pair: Pair) -> None:
    pair[0].settimeout(0.01)
    with pytest.raises(TimeoutError):
        spinning_recv(pair[0])(64)


def test_a_single_core_is_left_to_those_who_work(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin_wait, "CORES", 1)
    assert spinning_recv(pair[0]) == pair[0].recv
