"""Events and their bytes: one table read in both directions, then everything that may go wrong."""

import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ubersim.errors import ProtocolError, RemoteProtocolError
from ubersim.protocol import (
    MAX_FROM_CLIENT,
    Ack,
    Actuation,
    ClientConnection,
    Command,
    End,
    Error,
    Event,
    FrameEnd,
    FromServer,
    Handshake,
    Reading,
    ServerConnection,
    Timestamp,
    Welcome,
    decode_from_client,
    decode_from_server,
    encode,
)
from ubersim.protocol.messages import OWN_PAYLOAD

WELCOME = Welcome(name="Segway", step=0.001, frame=0)
FROM_SERVER: list[tuple[FromServer, str]] = [
    (
        Welcome(name="Segway", step=0.001, frame=7),
        "44000000 57656c636f6d6500" + b'{"protocol": 1, "name": "Segway", "step": 0.001, "frame": 7}'.hex(),
    ),
    (Timestamp(1.5), "12000000 54696d657374616d7000 000000000000f83f"),
    (Reading("Tilt", struct.pack("<f", 0.25)), "09000000 54696c7400 0000803e"),
    (Reading("Tilt", b""), "05000000 54696c7400"),
    (Reading("Höhe", b"\0\1"), "08000000 48c3b6686500 0001"),
    (FrameEnd(), "09000000 4672616d65456e6400"),
    (Timestamp(0.0), "12000000 54696d657374616d7000 0000000000000000"),
    (FrameEnd(), "09000000 4672616d65456e6400"),
    (Error("no such joint: Ü"), "17000000 4572726f7200 6e6f2073756368206a6f696e743a20c39c"),
]
FROM_CLIENT: list[tuple[Event, str]] = [
    (Handshake(b"<Client/>"), "3c436c69656e742f3e 00"),
    (Timestamp(-2.0), "12000000 54696d657374616d7000 00000000000000c0"),
    (Command("LMotor", 2, -3.0), "0f000000 4c4d6f746f7200 02000000 000040c0"),
    (Command("Wheel", 0x102, 0.5), "0e000000 576865656c00 02010000 0000003f"),
    (Command("Client", 0, 20.0), "0f000000 436c69656e7400 00000000 0000a041"),
    (Ack(1.5), "0c000000 41636b00 000000000000f83f"),
]


def joined(table: list[tuple[Any, str]]) -> bytes:
    return b"".join(bytes.fromhex(text) for _, text in table)


@pytest.mark.parametrize(("event", "text"), [*FROM_SERVER, *FROM_CLIENT])
def test_encode(event: Event, text: str) -> None:
    assert encode(event) == bytes.fromhex(text)


def test_decode_from_server() -> None:
    connection = ClientConnection()
    connection.receive_data(joined(FROM_SERVER))
    assert list(connection.events()) == [event for event, _ in FROM_SERVER]


VERSION_2: list[tuple[FromServer, str]] = [
    (
        Welcome(protocol=2, name="S", step=0.01, frame=0, server="ubersim 9", end_frame=7, capabilities=("end",)),
        "7e000000 57656c636f6d6500"
        + b'{"protocol": 2, "name": "S", "step": 0.01, "frame": 0, "server": "ubersim 9", '.hex()
        + b'"end_frame": 7, "capabilities": ["end"]}'.hex(),
    ),
    (Timestamp(0.0), "12000000 54696d657374616d7000 0000000000000000"),
    (FrameEnd(), "09000000 4672616d65456e6400"),
    (Error("no"), "08000000 4572726f7200 6e6f"),
    (
        End("failed", 1, "no"),
        "32000000 456e6400" + b'{"reason": "failed", "frame": 1, "text": "no"}'.hex(),
    ),
]


def test_version_2_both_ways() -> None:
    assert [encode(event) for event, _ in VERSION_2] == [bytes.fromhex(text) for _, text in VERSION_2]
    connection = ClientConnection()
    connection.receive_data(joined(VERSION_2))
    assert list(connection.events()) == [event for event, _ in VERSION_2]


@pytest.mark.parametrize("payload", [b"[]", b"{}", b'{"reason": "bored", "frame": 1}', b'{"reason": "failed"}'])
def test_what_an_end_must_not_say(payload: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="End"):
        decode_from_server(b"End\0" + payload, 2)


def test_decode_from_client() -> None:
    connection = ServerConnection()
    connection.receive_data(joined(FROM_CLIENT))
    assert list(connection.events()) == [event for event, _ in FROM_CLIENT]


@pytest.mark.parametrize(("side", "table"), [(ClientConnection, FROM_SERVER), (ServerConnection, FROM_CLIENT)])
def test_split_at_every_byte(side: type[ClientConnection | ServerConnection], table: list[tuple[Event, str]]) -> None:
    data = joined(table)
    expected = [event for event, _ in table]
    for cut in range(len(data) + 1):
        connection = side()
        connection.receive_data(data[:cut])
        seen = list(connection.events())
        connection.receive_data(data[cut:])
        assert [*seen, *connection.events()] == expected
    connection, seen = side(), []
    for byte in data:
        connection.receive_data(bytes([byte]))
        seen += connection.events()
    assert seen == expected


def test_send_of_one_side_is_read_by_the_other() -> None:
    server, client = ServerConnection(), ClientConnection()
    for event, _ in FROM_CLIENT:
        server.receive_data(client.send(event))  # type: ignore[arg-type]
    for event, _ in FROM_SERVER:
        client.receive_data(server.send(event))
    assert list(server.events()) == [event for event, _ in FROM_CLIENT]
    assert list(client.events()) == [event for event, _ in FROM_SERVER]


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=70).filter(
    lambda name: name not in ("Welcome", "Error", "Timestamp", "FrameEnd", "Ack")
)
times = st.floats(allow_nan=False, allow_infinity=False)
singles = st.floats(allow_nan=False, allow_infinity=False, width=32)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | times | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=8,
)
members = st.none() | st.dictionaries(
    st.text("abc"), st.dictionaries(st.text("abc"), json_values, max_size=2), max_size=3
)
welcomes = st.builds(
    Welcome,
    protocol=st.integers(1, 9),
    name=st.text(st.characters(exclude_categories=["Cs"])),
    step=times,
    frame=st.integers(-(2**53) + 1, 2**53 - 1),
    sensors=members,
    joints=members,
    motors=members,
    supervisor=st.booleans(),
    more=st.dictionaries(st.text("abcde"), json_values, max_size=4),
)
readings = st.builds(Reading, names, st.binary(max_size=200))
frames = st.tuples(st.builds(Timestamp, times), st.lists(readings, max_size=4)).map(lambda f: [f[0], *f[1], FrameEnd()])
server_streams = st.tuples(
    welcomes,
    st.lists(frames, max_size=4),
    st.lists(st.builds(Error, st.text(st.characters(exclude_categories=["Cs"]))), max_size=1),
).map(lambda s: [s[0], *(event for frame in s[1] for event in frame), *s[2]])
client_messages = st.lists(
    st.builds(Timestamp, times) | st.builds(Ack, times) | st.builds(Command, names, st.integers(0, 2**32 - 1), singles)
)


@given(server_streams)
def test_any_server_stream_survives_the_wire(stream: list[FromServer]) -> None:
    connection = ClientConnection()
    connection.receive_data(b"".join(encode(event) for event in stream))
    assert list(connection.events()) == stream


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), client_messages)
def test_any_client_stream_survives_the_wire(document: str, stream: list[Event]) -> None:
    connection = ServerConnection()
    connection.receive_data(encode(Handshake(document.encode())) + b"".join(encode(event) for event in stream))
    assert list(connection.events()) == [Handshake(document.encode()), *stream]


def near_misses(stream: bytes) -> st.SearchStrategy[bytes]:
    """The stream with a few bytes replaced."""
    place = st.tuples(st.integers(0, len(stream) - 1), st.integers(0, 255))

    def damage(places: list[tuple[int, int]]) -> bytes:
        damaged = bytearray(stream)
        for position, byte in places:
            damaged[position] = byte
        return bytes(damaged)

    return st.lists(place, max_size=4).map(damage)


@settings(max_examples=400)
@given(st.binary(max_size=300) | near_misses(joined(FROM_SERVER)))
def test_noise_from_a_server_is_an_event_or_a_protocol_error(noise: bytes) -> None:
    connection = ClientConnection(limit=10_000)
    connection.receive_data(noise)
    try:
        list(connection.events())
    except ProtocolError:
        with pytest.raises(RemoteProtocolError):
            list(connection.events())


@settings(max_examples=400)
@given(st.binary(max_size=300).map(lambda noise: b"\0" + noise) | near_misses(joined(FROM_CLIENT)))
def test_noise_from_a_client_is_an_event_or_a_protocol_error(noise: bytes) -> None:
    connection = ServerConnection({"LMotor": {2}, "Client": {0}})
    connection.receive_data(noise)
    try:
        list(connection.events())
    except ProtocolError:
        with pytest.raises(RemoteProtocolError):
            list(connection.events())


COMPONENTS = {"LMotor": {2, 3}, "Client": {0}}


def message(body: bytes) -> bytes:
    return struct.pack("<I", len(body)) + body


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (message(b""), "no NUL ends the component name in a message of 0 bytes"),
        (message(b"LMotor"), "no NUL ends the component name in a message of 6 bytes"),
        (message(b"\0" + bytes(8)), "the component name is empty"),
        (message(b"\xff\xfe\0" + bytes(8)), r"the component name b'\\xff\\xfe' is not UTF-8"),
        (message(b"LMotor\0" + bytes(7)), "'LMotor' takes a payload of 8 bytes, not of 7"),
        (message(b"LMotor\0" + bytes(9)), "'LMotor' takes a payload of 8 bytes, not of 9"),
        (message(b"RMotor\0" + bytes(8)), "there is no component 'RMotor'; there are Client, LMotor"),
        (message(b"Welcome\0{}"), "there is no component 'Welcome'"),
        (message(b"LMotor\0" + struct.pack("<If", 7, 1)), "'LMotor' has no property 7"),
        (message(b"LMotor\0" + struct.pack("<If", 2, math.nan)), "property 2 of 'LMotor' is not finite: nan"),
        (message(b"LMotor\0" + struct.pack("<If", 2, -math.inf)), "property 2 of 'LMotor' is not finite: -inf"),
        (message(b"Ack\0" + struct.pack("<d", math.nan)), "the time of Ack is not finite: nan"),
        (message(b"Ack\0" + struct.pack("<f", 1)), "'Ack' takes a payload of 8 bytes, not of 4"),
        (message(b"Timestamp\0" + struct.pack("<d", math.inf)), "the time of Timestamp is not finite: inf"),
        (struct.pack("<I", MAX_FROM_CLIENT + 1), "a message of 65537 bytes is longer than the 65536 that are allowed"),
        (struct.pack("<I", 2**32 - 1), "a message of 4294967295 bytes is longer"),
        (message(b"x" * 5000 + b"\0" + bytes(8)), r"there is no component 'x{80}'\.\.\.;"),
    ],
)
def test_what_a_client_must_not_send(data: bytes, reason: str) -> None:
    connection = ServerConnection(COMPONENTS)
    good = encode(Command("LMotor", 2, 1.0))
    connection.receive_data(b"\0" + good + data + good)
    events = connection.events()
    assert [next(events), next(events)] == [Handshake(b""), Command("LMotor", 2, 1.0)]
    with pytest.raises(RemoteProtocolError, match=reason):
        next(events)
    with pytest.raises(RemoteProtocolError, match=reason):
        list(connection.events())


TRAJECTORY = Actuation("Arm.S", struct.pack("<3f", 0.5, 1.0, 0.0))


def test_a_payload_of_a_components_own_is_handed_on_as_it_is() -> None:
    assert encode(TRAJECTORY) == bytes.fromhex("12000000 41726d2e5300 0000003f 0000803f 00000000")
    components = {"Arm.S": {32, OWN_PAYLOAD}, "Client": {0}}
    for payload in (b"", b"abc", bytes(7), bytes(9), bytes(MAX_FROM_CLIENT - 6)):
        event = Actuation("Arm.S", payload)
        assert decode_from_client(encode(event)[4:], components) == event
    assert decode_from_client(encode(Command("Arm.S", 32, 1.0))[4:], components) == Command("Arm.S", 32, 1.0)
    with pytest.raises(RemoteProtocolError, match=r"'Arm.S' has no property 4294967295"):
        decode_from_client(b"Arm.S\0" + struct.pack("<If", 2**32 - 1, 1.0), components)
    with pytest.raises(RemoteProtocolError, match="'Client' takes a payload of 8 bytes, not of 3"):
        decode_from_client(b"Client\0abc", components)


def test_many_components_are_not_all_named() -> None:
    with pytest.raises(RemoteProtocolError, match=r"there are C000, .*, C049 and 150 more$"):
        decode_from_client(b"X\0" + bytes(8), {f"C{number:03}": {0} for number in range(200)})
