"""The fast paths say what the reference says: the same results, the same errors, at the same place in the stream."""

import math
import struct
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ubersim.errors import LocalProtocolError, ProtocolError, RefusedError
from ubersim.protocol import (
    Ack,
    Actuation,
    ClientConnection,
    Command,
    Error,
    Event,
    FrameEnd,
    Handshake,
    Reading,
    ServerConnection,
    Timestamp,
    Welcome,
    client_lane,
    encode,
)
from ubersim.protocol.client_lane import CommandWriter, Frame, FrameReader
from ubersim.protocol.events import Draw
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.protocol.server_lane import CommandReader, FrameWriter, Target, as_pair

WELCOME = Welcome(name="Segway", step=0.001, frame=0)
COMPONENTS = {"LMotor": {2, 3, 0x102}, "RMotor": {2}, "Höhe": {0, 1}, "Client": {0}, "Ac": {7}, "Arm": {2, OWN_PAYLOAD}}

times = st.floats(allow_nan=False, allow_infinity=False)
singles = st.floats(allow_nan=False, allow_infinity=False, width=32)


def joined(*events: Event) -> bytes:
    return b"".join(encode(event) for event in events)


def message(body: bytes) -> bytes:
    return struct.pack("<I", len(body)) + body


good_messages = st.one_of(
    times.map(Timestamp).map(encode),
    times.map(Ack).map(encode),
    st.builds(Command, st.sampled_from(sorted(COMPONENTS)), st.sampled_from([0, 2]), singles).map(encode),
    st.binary(max_size=30).map(lambda payload: message(b"Arm\0" + payload)),
)
odd_messages = st.one_of(
    st.binary(max_size=12).map(message),
    st.tuples(st.sampled_from([b"Ack\0", b"LMotor\0", b"\0"]), st.binary(max_size=9)).map(b"".join).map(message),
    st.sampled_from([math.nan, math.inf]).map(lambda value: message(b"LMotor\0" + struct.pack("<If", 2, value))),
    st.sampled_from([math.nan, math.inf]).map(lambda value: message(b"Ack\0" + struct.pack("<d", value))),
    st.sampled_from([math.nan, -math.inf]).map(lambda value: message(b"Timestamp\0" + struct.pack("<d", value))),
    st.sampled_from([65536, 65537, 2**31, 2**32 - 1]).map(lambda length: struct.pack("<I", length)),
    st.just(message(b"LMotor\0" + bytes(70_000))),
    st.binary(max_size=12),
)
streams = st.lists(good_messages, max_size=8) | st.lists(good_messages | odd_messages, max_size=8)
cuts = st.lists(st.integers(0, 400), max_size=6)


def pieces(stream: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted(min(place, len(stream)) for place in places), len(stream)]
    return [stream[start:end] for start, end in pairwise(ends)]


def reference_commands(stream: bytes) -> tuple[list[tuple[Target, float | bytes]], str | None]:
    connection = ServerConnection(COMPONENTS)
    connection.receive_data(encode(Handshake(b"")) + stream)
    events = connection.events()
    next(events)
    seen = []
    try:
        for event in events:
            if not isinstance(event, Draw):  # which the reader keeps apart
                seen.append(as_pair(event))
    except ProtocolError as error:
        return seen, str(error)
    return seen, None


@settings(max_examples=500)
@given(streams, cuts)
@example([message(b"LMotor\0" + bytes(70_000))], [])
@example([message(b"Draw\0")], [])
def test_command_reader_equals_the_reference(messages: list[bytes], places: list[int]) -> None:
    stream = b"".join(messages)
    reader = CommandReader(COMPONENTS)
    seen = [pair for piece in pieces(stream, places) for pair in reader.read(piece)]
    assert (seen, str(reader.error) if reader.error else None) == reference_commands(stream)


def test_command_reader_cut_at_every_byte() -> None:
    stream = joined(Timestamp(1.0), Command("LMotor", 2, 0.5), Command("Höhe", 1, -1.0), Ack(1.0))
    expected, _ = reference_commands(stream)
    assert len(expected) == 4
    for cut in range(len(stream) + 1):
        reader = CommandReader(COMPONENTS)
        assert reader.read(stream[:cut]) + reader.read(stream[cut:]) == expected


def test_nothing_comes_after_an_error() -> None:
    reader = CommandReader(COMPONENTS)
    good = encode(Ack(1.0))
    assert len(reader.read(good + message(b"") + good)) == 1
    assert reader.error is not None
    assert reader.read(good) == []


def reference_frame(time: float, readings: list[tuple[str, bytes]]) -> bytes:
    return joined(Timestamp(time), *(Reading(*reading) for reading in readings), FrameEnd())


reading_lists = st.lists(st.tuples(st.sampled_from(["Tilt", "Höhe", "Camera"]), st.binary(max_size=20)), max_size=5)


@given(st.lists(st.tuples(times, reading_lists), max_size=5))
def test_frame_writer_equals_the_reference(sequence: list[tuple[float, list[tuple[str, bytes]]]]) -> None:
    writer = FrameWriter()
    for time, readings in sequence:
        assert writer.frame(time, readings) == reference_frame(time, readings)


def test_frame_writer_with_readings_of_many_sizes() -> None:
    writer = FrameWriter()
    for size in range(3000):
        writer.frame(0.0, [("Tilt", bytes(size))])
    assert writer.frame(2.0, [("Tilt", b"ab")]) == reference_frame(2.0, [("Tilt", b"ab")])


def reference_frames(stream: bytes) -> tuple[list[Frame], str | None]:
    connection = ClientConnection(limit=5000)
    connection.receive_data(encode(WELCOME) + stream)
    frames: list[Frame] = []
    try:
        for event in connection.events():
            match event:
                case Timestamp(time):
                    readings: list[tuple[str, bytes]] = []
                case Reading(name, payload):
                    readings.append((name, payload))
                case FrameEnd():
                    frames.append((time, readings))
                case Error(text):
                    raise RefusedError(text)
    except (ProtocolError, RefusedError) as error:
        return frames, str(error)
    return frames, None


good_frames = st.builds(reference_frame, times, reading_lists)
odd_parts = st.one_of(
    odd_messages,
    st.sampled_from([joined(event) for event in (Error("bye"), FrameEnd(), Timestamp(1.0), WELCOME)]),
    st.just(message(b"FrameEnd\0!")),
    st.just(message(b"Tilt\0" + bytes(6000))),
)


@settings(max_examples=500)
@given(st.lists(good_frames, max_size=4) | st.lists(good_frames | odd_parts, max_size=6), cuts)
def test_frame_reader_equals_the_reference(parts: list[bytes], places: list[int]) -> None:
    stream = b"".join(parts)
    reader = FrameReader(limit=5000)
    seen = [frame for piece in pieces(stream, places) for frame in reader.read(piece)]
    assert (seen, str(reader.error) if reader.error else None) == reference_frames(stream)


def test_frame_reader_gathers_a_picture_from_many_pieces() -> None:
    picture = bytes(range(256)) * 4000
    stream = reference_frame(1.0, [("Camera", picture), ("Tilt", b"abcd")])
    reader = FrameReader()
    seen = [frame for start in range(0, len(stream), 999) for frame in reader.read(stream[start : start + 999])]
    assert seen == [(1.0, [("Camera", picture), ("Tilt", b"abcd")])]


def test_frame_reader_knows_a_refusal() -> None:
    reader = FrameReader()
    reader.read(encode(Error("stale stamp")))
    assert isinstance(reader.error, RefusedError)


Step = Callable[[CommandWriter], None]


commands = st.builds(Command, st.sampled_from(["LMotor", "Höhe"]), st.integers(0, 3), singles)
payloads = st.binary(max_size=30).filter(lambda payload: len(payload) != 8).map(lambda part: Actuation("Arm", part))


@given(st.lists(commands | payloads | times.map(Ack) | times.map(Timestamp)))
def test_command_writer_equals_the_reference(events: list[Command | Actuation | Ack | Timestamp]) -> None:
    writer = CommandWriter()
    for event in events:
        match event:
            case Command(name, number, value):
                writer.command(name, number, value)
            case Actuation(name, payload):
                writer.payload(name, payload)
            case Ack(time):
                writer.ack(time)
            case Timestamp(time):
                writer.stamp(time)
    assert writer.take() == joined(*events)
    assert writer.take() == b""


@pytest.mark.parametrize(
    "step",
    [
        lambda writer: writer.command("LMotor", 2, math.nan),
        lambda writer: writer.command("LMotor", 2, 1e39),
        lambda writer: writer.command("", 2, 0.0),
        lambda writer: writer.payload("Arm", bytes(8)),
        lambda writer: writer.payload("Arm", bytes(1 << 16)),
        lambda writer: writer.ack(math.nan),
        lambda writer: writer.stamp(math.inf),
    ],
)
def test_command_writer_refuses_what_cannot_be_sent(step: Step) -> None:
    writer = CommandWriter()
    writer.command("LMotor", 2, 0.0)
    with pytest.raises(LocalProtocolError):
        step(writer)


@pytest.mark.parametrize("size", [4, 4 << 20])
def test_a_frame_that_does_not_end_is_given_up(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 1 << 25
    monkeypatch.setattr(client_lane, "LONGEST_FRAME", most)
    monkeypatch.setattr(client_lane, "MOST_READINGS", 100_000)
    reader = FrameReader()
    reader.read(encode(Timestamp(0.0)))
    piece = encode(Reading("Cam", bytes(size)))
    piece *= max(1, (1 << 22) // len(piece))
    for _ in range(2 + most // len(piece)):
        assert not reader.read(piece)
        if reader.error is not None:
            break
    assert "a frame that does not end" in str(reader.error)


def test_a_refusal_without_a_reason_says_so() -> None:
    reader = FrameReader()
    reader.read(encode(Error("")))
    assert str(reader.error) == "the server refused without saying why"
