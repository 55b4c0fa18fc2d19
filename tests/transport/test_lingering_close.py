"""The last bytes arrive, whatever the other side was still sending."""

from __future__ import annotations

import os
import socket
import threading
import time

import pytest

from ubersim.transport import lingering_close
from ubersim.transport.lingering_close import close_after, underway
from ubersim.transport.wake_pipe import WakePipe


def pair() -> tuple[socket.socket, socket.socket]:
    """Both ends of a TCP connection; a pair of Unix sockets would not be reset."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        theirs = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    return ours, theirs


def test_last_bytes_arrive_although_ours_were_not_read() -> None:
    ours, theirs = pair()
    theirs.sendall(bytes(100_000))
    last = bytes(range(256)) * 40_000  # more than the sockets hold
    closing = threading.Thread(target=close_after, args=(ours, last))
    closing.start()
    received = b""
    while data := theirs.recv(1 << 16):
        received += data
    assert received == last
    theirs.close()
    closing.join(60)
    assert ours.fileno() == -1


def test_it_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lingering_close, "LONGEST", 0.2)
    ours, theirs = pair()
    start = time.monotonic()
    close_after(ours, b"bye")
    assert time.monotonic() - start >= 0.2
    assert theirs.recv(10) == b"bye"
    theirs.close()


def test_a_full_pipe_wakes_as_well() -> None:
    pipe = WakePipe()
    for _ in range(100_000):  # more than a pipe holds; a blocking write would never return
        pipe.wake()
    pipe.clear()
    pipe.close()


def test_a_closed_pipe_wakes_nobody_else() -> None:
    """Its descriptors may belong to others by then."""
    pipe = WakePipe()
    pipe.close()
    reading_end, writing_end = os.pipe()
    pipe.wake()
    os.close(writing_end)
    assert os.read(reading_end, 10) == b""
    os.close(reading_end)


def test_nothing_is_underway_on_a_closed_socket() -> None:
    ours, theirs = pair()
    with ours, theirs:
        pass
    assert underway(ours) == 0
