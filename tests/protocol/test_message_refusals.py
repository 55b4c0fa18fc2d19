"""What neither side may send, and what a side refuses to send by mistake."""

import math
import struct
from typing import Any

import pytest

from tests.protocol.test_messages import WELCOME, message
from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol import (
    MAX_DOCUMENT,
    MAX_FROM_SERVER,
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
    encode,
)

FRAME = encode(Timestamp(0.0))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (message(b"FrameEnd\0!"), "'FrameEnd' takes a payload of 0 bytes, not of 1"),
        (message(b"Timestamp\0"), "'Timestamp' takes a payload of 8 bytes, not of 0"),
        (struct.pack("<I", MAX_FROM_SERVER + 1), "is longer than"),
        (encode(FrameEnd()), "FrameEnd came where Timestamp or Error is due"),
        (encode(Reading("Tilt", b"")), "Reading came where Timestamp or Error is due"),
        (encode(WELCOME), "Welcome came where Timestamp or Error is due"),
        (FRAME + FRAME, "Timestamp came where Reading or FrameEnd or Error is due"),
        (encode(Error("bye")) + FRAME, "Timestamp came where nothing is due"),
    ],
)
def test_what_a_server_must_not_send(data: bytes, reason: str) -> None:
    connection = ClientConnection()
    connection.receive_data(encode(WELCOME) + data)
    with pytest.raises(RemoteProtocolError, match=reason):
        list(connection.events())


@pytest.mark.parametrize("text", [b"[]", b"{", b'{"a": NaN}', b"\xff", b"[" * 100_000, b'{"a": 1' + b"0" * 5000 + b"}"])
def test_settings_that_are_no_json_object(text: bytes) -> None:
    connection = ClientConnection()
    connection.receive_data(message(b"Welcome\0" + text))
    with pytest.raises(RemoteProtocolError, match="content of Welcome is not"):
        list(connection.events())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"step": None}, "step is a number, not None"),
        ({"frame": 1.5}, "frame is a whole number, not 1.5"),
        ({"frame": True}, "frame is a whole number, not True"),
        ({"name": 7}, "name is a text, not 7"),
        ({"sensors": {"Tilt": []}}, "sensors is an object of objects"),
        ({"supervisor": 1}, "supervisor is true or false, not 1"),
    ],
)
def test_what_a_welcome_must_not_say(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(RemoteProtocolError, match=reason):
        Welcome.from_json(WELCOME.to_json() | change)


def test_welcome_of_a_newer_server() -> None:
    content = WELCOME.to_json() | {"protocol": 2, "sensors": {}, "colour": "red"}
    welcome = Welcome.from_json(content)
    assert (welcome.protocol, welcome.sensors, welcome.joints, welcome.more) == (2, {}, None, {"colour": "red"})
    assert welcome.to_json() == content
    with pytest.raises(RemoteProtocolError, match="lack protocol, frame"):
        Welcome.from_json({"name": "Segway", "step": 0.001})


def test_the_longest_messages_pass() -> None:
    client, server = ClientConnection(), ServerConnection()
    picture = Reading("x" * 64, bytes(8 + 4096 * 4096 * 4))
    client.receive_data(encode(WELCOME) + encode(Timestamp(0.0)) + encode(picture))
    assert list(client.events())[2] == picture
    server.receive_data(b" " * MAX_DOCUMENT + b"\0")
    assert list(server.events()) == [Handshake(b" " * MAX_DOCUMENT)]


@pytest.mark.parametrize("end", [b"", b"\0"])
def test_a_document_that_is_too_long(end: bytes) -> None:
    connection = ServerConnection()
    connection.receive_data(b" " * MAX_DOCUMENT)
    assert list(connection.events()) == []
    connection.receive_data(b" " + end)
    with pytest.raises(RemoteProtocolError, match="longer than the 33554432 bytes allowed"):
        list(connection.events())


def test_a_document_that_is_not_utf8() -> None:
    connection = ServerConnection()
    connection.receive_data(b"<Client>\xe4</Client>\0")
    with pytest.raises(RemoteProtocolError, match="not UTF-8: invalid continuation byte at byte 8"):
        list(connection.events())


def test_what_comes_after_the_document_is_handed_on() -> None:
    connection = ServerConnection()
    connection.receive_data(b"<Client/>\0abc")
    assert next(connection.events()) == Handshake(b"<Client/>")
    assert connection.trailing_data == b"abc"


@pytest.mark.parametrize(
    "event",
    [
        Timestamp(math.nan),
        Ack(math.inf),
        Command("LMotor", 2, math.nan),
        Command("LMotor", 2, 1e39),
        Command("LMotor", -1, 0.0),
        Command("LMotor", 2**32, 0.0),
        Command("", 2, 0.0),
        Command("a\0b", 2, 0.0),
        Command("\ud800", 2, 0.0),
        Command("Ack", 2, 0.0),
        Reading("FrameEnd", b""),
        Reading("", b""),
        Welcome(name="Segway", step=math.nan, frame=0),
        Welcome(name="Segway", step=0.001, frame=0, more={"x": object()}),
        Handshake(b"a\0b"),
        Actuation("LMotor", bytes(8)),
        Actuation("Client", b"abc"),
        Actuation("", b"abc"),
    ],
)
def test_what_we_must_not_send(event: Event) -> None:
    with pytest.raises(LocalProtocolError):
        encode(event)


def test_our_own_order_is_checked() -> None:
    with pytest.raises(LocalProtocolError, match="FrameEnd came where Welcome or Error is due"):
        ServerConnection().send(FrameEnd())
    with pytest.raises(LocalProtocolError, match="handshake comes first"):
        ClientConnection().send(Ack(0.0))
