"""The C client against servers that mean it harm: it ends with a reason, and the sanitizers find nothing."""

from __future__ import annotations

import random
import re
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.c_client import Peer, joined
from ubersim.protocol import Error, FrameEnd, Reading, Timestamp, Welcome

WELCOME = joined(Welcome(name="Segway", step=0.01, frame=0))
OPEN = joined(Timestamp(0.0))
ENOUGH = 600 * 2**20
"""More than a frame may have [bytes]."""


def message(body: bytes, length: int | None = None) -> bytes:
    return struct.pack("<I", len(body) if length is None else length) + body


def end_of(peer: Peer, pieces: Iterator[bytes]) -> tuple[str, str]:
    """What the client says about a stream, as far as it takes it, on both channels."""
    peer.handshake()
    try:
        for piece in pieces:
            peer.socket.sendall(piece)
        peer.socket.shutdown(socket.SHUT_WR)
        while peer.socket.recv(1 << 16):
            pass
    except OSError:  # it has closed
        pass
    _, out, err = peer.finish()
    return out, err


HOSTILE = {
    "a name without an end": (WELCOME + OPEN + message(b"x" * 1000), "without a name"),
    "an empty message": (WELCOME + message(b""), "without a name"),
    "the largest length": (WELCOME + message(b"", 2**32 - 1), "too long"),
    "one byte too many": (WELCOME + message(b"", 4096 * 4096 * 4 + (1 << 16) + 1), "too long"),
    "a length and no more": (WELCOME + OPEN + message(b"Cam\0", 60 * 2**20), "in the middle of a frame"),
    "half a length": (WELCOME + OPEN + b"\x05\0", "in the middle of a frame"),
    "a welcome that is cut": (WELCOME[:-3], "closed the connection before its welcome"),
    "a welcome too long": (message(b"Welcome\0", 2**31), "too long"),
    "no welcome": (OPEN + message(b"FrameEnd\0"), "where its Welcome is due: Timestamp"),
    "two welcomes": (WELCOME + WELCOME, "where a Timestamp is due: Welcome"),
    "a welcome in a frame": (WELCOME + OPEN + WELCOME, "in the middle of a frame"),
    "a frame in a frame": (WELCOME + OPEN + OPEN, "a Timestamp within a frame"),
    "an end without a beginning": (WELCOME + joined(FrameEnd()), "where a Timestamp is due: FrameEnd"),
    "a short time": (WELCOME + message(b"Timestamp\0\0\0\0\0"), "where a Timestamp is due"),
    "a time that is no number": (WELCOME + message(b"Timestamp\0" + struct.pack("<d", float("nan"))), "not finite"),
    "an infinite time": (WELCOME + message(b"Timestamp\0" + struct.pack("<d", float("inf"))), "not finite"),
    "an error without a text": (WELCOME + joined(Error("")), "refused without saying why"),
    "an error with a NUL first": (WELCOME + message(b"Error\0\0why"), "refused without saying why"),
    "an error before the welcome": (joined(Error("")), "refused without saying why"),
    "a long error": (WELCOME + message(b"Error\0" + b"x" * 10_000_000), "x" * 500),
    "an error for the terminal": (WELCOME + message(b"Error\0\x1b[2J\x07\x7f\r\nbye"), "?[2J???\nbye"),
    "a name for the terminal": (WELCOME + message(b"\x1b[2J\0"), "?[2J"),
}


@pytest.mark.parametrize(("stream", "reason"), HOSTILE.values(), ids=list(HOSTILE))
@pytest.mark.parametrize("at_once", [True, False])
def test_what_it_says(probe: Path, stream: bytes, reason: str, at_once: bool) -> None:
    pieces = [stream] if at_once or len(stream) > 10_000 else [stream[i : i + 1] for i in range(len(stream))]
    out, err = end_of(Peer(probe, "<Client/>"), iter(pieces))
    assert reason in out and err == ""


def endless(piece: bytes) -> Iterator[bytes]:
    """More and more of it, after the beginning of a frame."""
    yield WELCOME + OPEN
    block = piece * (1 + (1 << 20) // len(piece))
    for _ in range(ENOUGH // len(block)):
        yield block


@pytest.mark.parametrize(
    "piece", [joined(Reading("Tilt", b"\0\0\0\0")), joined(Reading("Cam", bytes(4 << 20))), message(b"\0")], ids=len
)
def test_a_frame_that_does_not_end_is_given_up(probe: Path, piece: bytes) -> None:
    out, err = end_of(Peer(probe, "<Client/>"), endless(piece))
    assert "a frame that does not end" in out and err == ""


@pytest.mark.parametrize("seed", range(40))
def test_damaged_streams(probe: Path, seed: int) -> None:
    """Bytes that are changed, left out or put in anywhere; the sanitizers watch."""
    rng = random.Random(seed)
    readings = [Reading("Cam", rng.randbytes(2000)), Reading("Tilt", rng.randbytes(4))]
    frames = [joined(Timestamp(number / 100), *readings, FrameEnd()) for number in range(20)]
    stream = bytearray(WELCOME + b"".join(frames))
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(len(stream)) if rng.random() < 0.5 else rng.randrange(200)
        if (what := rng.random()) < 0.5:
            stream[place] = rng.randrange(256)
        elif what < 0.75:
            del stream[place : place + rng.randint(1, 50)]
        else:
            stream[place:place] = rng.randbytes(rng.randint(1, 50))
    cuts = sorted(rng.choices(range(len(stream)), k=5))
    pieces = (bytes(stream[a:b]) for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True))
    out, err = end_of(Peer(probe, "<Client/>"), pieces)
    assert err == "" and re.search(r"(^|\n)(0 |-1 .+|the server .+)\n$", out, re.DOTALL)


def test_a_server_that_never_closes_does_not_keep_it(probe: Path) -> None:
    """Once it wants to go, it waits for a while only, whatever still comes."""
    peer = Peer(probe, "<Client/>")
    peer.handshake()
    peer.socket.sendall(WELCOME + joined(Error("go")))
    peer.process.wait(20)
    assert peer.finish()[1].endswith("-1 go\n")
