"""The C client against a scripted server: real sockets, and the exact bytes that it sends."""

import math
import re
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.c_client import FOLDER, Peer, joined
from ubersim.protocol import (
    Ack,
    Command,
    End,
    Error,
    Event,
    FrameEnd,
    FromServer,
    Reading,
    Timestamp,
    Welcome,
)
from ubersim.protocol.end import encode_end
from ubersim.protocol.properties import TABLE

XML = b"<Client>\n" + b"<!-- a document of some length, with an \xc3\x9c -->\n" * 5000 + b"</Client>\n"
STEP = 0.01
WELCOME = Welcome(name="Segway", step=STEP, frame=0)


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "robot.xml"
    path.write_bytes(XML)
    return str(path)


def single(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def tilt(value: float) -> Reading:
    return Reading("Tilt", struct.pack("<f", value))


def frame(number: int, *readings: Reading) -> list[FromServer]:
    return [Timestamp(number * STEP), *readings, FrameEnd()]


TILTS = [0.0, -0.01, -0.03, 0.02, None, 0.5, 0.25, None, None, -0.125, -1.0, -1.0]


def expected_answers(kp: float, kd: float, leans: dict[float, float]) -> Iterator[bytes]:
    """The controller of segway_pd.c, in the same arithmetic."""
    speed, last = 0.0, None
    for number, value in enumerate(TILTS):
        now = number * STEP
        commands: list[Event] = []
        if value is not None:
            tilt = single(value)
            begun = [math.radians(degrees) for start, degrees in leans.items() if start <= now]
            rate = 0.0 if last is None else (tilt - last) / 0.01
            acceleration = kp * (math.radians(4.0) + (begun[-1] if begun else 0.0) - tilt) - kd * rate
            speed = min(14.9, max(-14.9, speed + acceleration * 0.01))
            last = tilt
            commands = [Command("LMotor", 2, single(speed)), Command("RMotor", 2, single(speed))]
        yield joined(*commands, Ack(now))


def script_frames() -> list[list[FromServer]]:
    return [frame(number, *([] if value is None else [tilt(value)])) for number, value in enumerate(TILTS)]


GAINS = ("0:0,0.02:-2.5,0.08:4", "150", "20.5")
ANSWERS = list(expected_answers(150.0, 20.5, {0.0: 0.0, 0.02: -2.5, 0.08: 4.0}))


def test_strict_lockstep(segway: Path, document: str) -> None:
    peer = Peer(segway, document, "0", *GAINS)
    assert peer.handshake() == XML
    peer.send(WELCOME)
    for events, answer in zip(script_frames(), ANSWERS, strict=True):
        peer.send(*events)
        assert peer.receive(len(answer)) == answer
    status, out, err = peer.finish()
    assert (status, err) == (0, "")
    assert out.startswith(f"{len(TILTS)} frames, largest tilt 1.0000 rad, last tilt -1.0000 rad")


def test_frames_that_come_together_are_answered_together(segway: Path, document: str) -> None:
    peer = Peer(segway, document, "0", *GAINS)
    peer.handshake()
    peer.send(WELCOME, *(event for events in script_frames() for event in events))
    # All of it is in one send, so that one receive gets it; many sends would come in several pieces.
    assert peer.socket.recv(65536) == b"".join(ANSWERS)
    assert peer.finish()[0] == 0


def test_bytes_that_come_one_by_one(segway: Path, document: str) -> None:
    peer = Peer(segway, document, "0", *GAINS)
    peer.handshake()
    stream = joined(WELCOME, *(event for events in script_frames() for event in events))
    for byte in stream:
        peer.socket.sendall(bytes([byte]))
    assert peer.receive(sum(map(len, ANSWERS))) == b"".join(ANSWERS)
    assert peer.finish()[0] == 0


def test_the_gains_and_the_lean_have_defaults(segway: Path, document: str) -> None:
    source = (FOLDER / "segway_pd.c").read_text(encoding="utf-8")
    kp, kd = (float(value) for value in re.findall(r"#define K[PD] ([\d.]+)", source))
    peer = Peer(segway, document, "0")
    peer.handshake()
    peer.send(WELCOME, *(event for events in script_frames() for event in events))
    expected = b"".join(expected_answers(kp, kd, {}))
    assert peer.receive(len(expected)) == expected
    assert peer.finish()[0] == 0


def test_it_leaves_after_the_given_number_of_frames(segway: Path, document: str) -> None:
    peer = Peer(segway, document, "3")
    peer.handshake()
    peer.send(WELCOME)
    for number in range(2):
        peer.send(*frame(number))
        assert peer.receive(16) == joined(Ack(number * STEP))
    peer.send(*frame(2))
    assert peer.receive(1) == b""
    assert peer.finish()[1].startswith("3 frames")


PICTURE = bytes(range(256)) * 4 * 300


def checksum(data: bytes) -> int:
    total = 0
    for byte in data:
        total = (total * 31 + byte) % 1000003
    return total


def test_pictures_stamps_and_latency(probe: Path) -> None:
    peer = Peer(probe, "<Client/>")
    assert peer.handshake() == b"<Client/>"
    peer.send(Welcome(name="Ü", step=STEP, frame=0))
    answers = joined(Command("Client", 0, 7.5))
    frames = [
        frame(0, Reading("Cam", PICTURE), tilt(0.5)),
        frame(1),
        frame(2, tilt(9.0), Reading("Tilt", struct.pack("<df", 0.01, -0.25)), Reading("Cam", b"")),
    ]
    for number, (events, value) in enumerate(zip(frames, (0.5, 0.0, -0.25), strict=True)):
        peer.send(*events)
        time = number * STEP
        answers += joined(Timestamp(time + 0.125), Command("Wheel", 0x103, value), Ack(time))
    assert peer.receive(len(answers)) == answers
    status, out, _ = peer.finish()
    assert (status, out.splitlines()) == (
        0,
        [
            f'{{"protocol": 1, "name": "Ü", "step": {STEP}, "frame": 0}}',
            f"0.000 Cam yes {len(PICTURE)} {checksum(PICTURE)} Tilt 0.5 Cam as float 0",
            "0.010 Cam no 0 0 Cam as float 0",
            "0.020 Cam yes 0 0 Tilt -0.25 Cam as float 0",
            "0 ",
        ],
    )


def test_the_end_of_a_run(probe: Path) -> None:
    peer = Peer(probe, "<Client/>")
    peer.handshake()
    end = End("finished", 1, "the run has ended")
    peer.send(Welcome(protocol=2, name="C", step=STEP, frame=0), *frame(0), end)
    _, out, _ = peer.finish()
    assert out.splitlines()[2:] == ["0 ", encode_end(end).decode() + ", then 0"]


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (joined(Error("stale stamp: Ü")), "stale stamp: Ü"),
        (joined(Timestamp(0.0), tilt(0.0), Error("enough")), "enough"),
        (joined(Timestamp(0.0), tilt(0.0)), "the server closed the connection in the middle of a frame"),
        (joined(*frame(0))[:-1], "the server closed the connection in the middle of a frame"),
        (joined(FrameEnd()), "the server sends something else where a Timestamp is due: FrameEnd"),
        (joined(Timestamp(0.0), Timestamp(0.0)), "the server sends a Timestamp within a frame"),
        (struct.pack("<I", 2**32 - 1), "the server sends a message that is too long"),
        (struct.pack("<I", 0), "the server sends a message without a name"),
        (struct.pack("<I", 4) + b"Tilt", "the server sends a message without a name"),
    ],
)
def test_what_can_go_wrong_in_mid_run(segway: Path, document: str, stream: bytes, reason: str) -> None:
    peer = Peer(segway, document, "0")
    peer.handshake()
    peer.send(WELCOME)
    peer.socket.sendall(stream)
    peer.socket.shutdown(socket.SHUT_WR)
    while peer.socket.recv(65536):
        pass
    status, _, err = peer.finish()
    assert (status, err) == (1, reason + "\n")


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (joined(Error("line 3: Body: no name\nline 4: Body: no name")), "line 3: Body: no name\nline 4: Body: no name"),
        (joined(Timestamp(0.0)), "the server sends something else where its Welcome is due: Timestamp"),
        (b"", "the server closed the connection before its welcome"),
    ],
)
def test_what_can_go_wrong_at_the_door(segway: Path, document: str, stream: bytes, reason: str) -> None:
    peer = Peer(segway, document, "0")
    peer.handshake()
    peer.socket.sendall(stream)
    assert peer.finish() == (1, "", reason + "\n")


def test_nobody_there(segway: Path, document: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
    done = subprocess.run([segway, "127.0.0.1", port, document, "0"], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (1, "cannot connect: Connection refused\n")
    done = subprocess.run([segway, "127.0.0.1", port, "/no/file", "0"], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (1, "/no/file: No such file or directory\n")
    assert subprocess.run([segway], capture_output=True, timeout=60).returncode == 2


def test_every_property_has_a_name_in_c() -> None:
    told = dict(re.findall(r"UBERSIM_([A-Z_0-9]+) = (\w+)", (FOLDER / "ubersim.h").read_text()))
    for known in TABLE:
        if known.of != "client":  # that is ubersim_set_latency
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", known.name).upper().replace("F_MAX", "FMAX")
            assert int(told[name]) == known.number, known.name
