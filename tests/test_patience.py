"""Looking for bytes before sleeping: the same bytes and errors, and little effort when it is in vain."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest

from ubersim import patience
from ubersim.patience import patient

Pair = tuple[socket.socket, socket.socket]


class Counting:
    """A connection on which nothing comes while one looks; it notes which receives would have slept."""

    def __init__(self, came: bytes = b"x") -> None:
        self.slept: list[bool] = []
        self.came = came
        self.there = False

    def recv(self, size: int, flags: int = 0) -> bytes:
        if flags and not self.there:
            if not self.slept or self.slept[-1]:
                self.slept.append(False)
            raise BlockingIOError
        self.slept.append(not flags)
        return self.came


@pytest.fixture
def pair() -> Iterator[Pair]:
    here, there = socket.socketpair()
    with here, there:
        yield here, there


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "CORES", 2)


def test_bytes_that_are_there_are_taken(pair: Pair) -> None:
    pair[1].send(b"abc")
    assert patient(pair[0])(64) == b"abc"


def test_bytes_that_come_after_it_has_fallen_asleep_are_taken(pair: Pair) -> None:
    threading.Timer(50 * patience.LOOKING, pair[1].send, [b"late"]).start()
    assert patient(pair[0])(64) == b"late"


def test_the_end_of_a_connection_is_an_empty_answer(pair: Pair) -> None:
    pair[1].close()
    assert patient(pair[0])(64) == b""


def test_a_timeout_is_as_ever(pair: Pair) -> None:
    pair[0].settimeout(0.01)
    with pytest.raises(TimeoutError):
        patient(pair[0])(64)


def test_looking_in_vain_gets_rarer_and_rarer() -> None:
    connection = Counting()
    receive = patient(connection)  # type: ignore[arg-type]
    for _ in range(2 + 4 + 8 + 16):
        receive(1)
    looks = [i for i, slept in enumerate(connection.slept) if not slept]
    gaps = [b - a - 1 for a, b in pairwise(looks)]
    assert gaps == [2, 4, 8]  # sleeps between two looks: the one after it, and 1, 3, 7 without any


def test_it_does_not_give_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "LONGEST_PAUSE", 3)
    connection = Counting()
    receive = patient(connection)  # type: ignore[arg-type]
    for _ in range(20):
        receive(1)
    connection.there = True
    connection.slept.clear()
    for _ in range(20):
        receive(1)
    assert connection.slept[4:] == [False] * 16  # at most three sleeps before it looks again, and then goes on looking


def test_a_single_core_is_left_to_those_who_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "CORES", 1)
    connection = Counting()
    receive = patient(connection)  # type: ignore[arg-type]
    receive(1)
    assert connection.slept == [True]
