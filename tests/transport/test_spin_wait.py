"""Looking for bytes before sleeping: the same bytes and errors, and little effort when it is in vain."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from ubersim.transport import spin_wait
from ubersim.transport.spin_wait import spinning_recv

Pair = tuple[socket.socket, socket.socket]


class Waiting:
    """Stands in for `select.poll`: it notes for which receives anybody has looked, and whether that was in vain."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looked: set[int] = set()
        self.there = False
        self._number = 0
        self._receive: Callable[[int], bytes] | None = None
        monkeypatch.setattr("ubersim.transport.spin_wait.select.poll", lambda: self)

    def register(self, *_: object) -> None:
        """Of what to wait for, nothing matters here."""

    def poll(self, _: float) -> bool:
        self.looked.add(self._number)
        return self.there

    def recv(self, _: int) -> bytes:
        self._number += 1
        return b"x"

    def receive(self, times: int) -> list[bool]:
        """For each of so many receives: was it looked for?"""
        if self._receive is None:
            self._receive = spinning_recv(self)  # type: ignore[arg-type]
        first = self._number
        for _ in range(times):
            self._receive(1)
        return [number in self.looked for number in range(first, self._number)]


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


def test_looking_in_vain_gets_rarer_and_rarer(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = Waiting(monkeypatch).receive(1 + 7 + 1 + 63 + 1 + 511 + 1)
    assert [place for place, yes in enumerate(looked) if yes] == [0, 8, 72, 584]


def test_it_does_not_give_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin_wait, "LONGEST_PAUSE", 3)
    waiting = Waiting(monkeypatch)
    assert sum(waiting.receive(100)) == 25  # one in four
    waiting.there = True
    assert all(waiting.receive(20)[3:])


def test_a_single_core_is_left_to_those_who_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin_wait, "CORES", 1)
    assert not any(Waiting(monkeypatch).receive(5))
