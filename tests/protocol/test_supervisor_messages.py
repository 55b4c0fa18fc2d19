"""What supervisors and servers say to each other: one table read in both directions, then what may go wrong."""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import Any

import numpy as np
import pytest

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol import Error, FrameEnd, Handshake, Timestamp, Welcome
from ubersim.protocol.picture import EncodedLegend, EncodedPicture, PictureReader
from ubersim.protocol.supervisor_connection import (
    LONGEST_REQUEST,
    SupervisorClientEnd,
    SupervisorServerEnd,
    supervisor_document,
)
from ubersim.protocol.supervisor_events import (
    CapturedReading,
    ComponentCommands,
    ContactForces,
    ContactPoints,
    ForwardedDrawing,
    Legend,
    Pushes,
    Request,
    RequestDone,
    RequestFailed,
    ToSupervisor,
    Truth,
)
from ubersim.protocol.supervisor_messages import decode_to_supervisor, encode_to_supervisor


def numbers(*values: float) -> str:
    return struct.pack(f"<{len(values)}d", *values).hex()


def text(content: object) -> str:
    return json.dumps(content).encode().hex()


def array(*rows: Any) -> Any:
    return np.array(rows, dtype=float)


ROBOTS = {"Cart": {"sensors": {"Tilt": {"dtype": "<f4", "shape": []}, "Eye": {"dtype": "|u1", "shape": [2, 3]}}}}
TRUTH = Truth(
    frame=-5,
    legend=3,
    standing=True,
    positions=array([1, 2, 3]),
    quaternions=array([1, 0, 0, 0]),
    linear=array([4, 5, 6]),
    angular=array([7, 8, 9]),
    joint_positions=array(0.5),
    joint_rates=array(-0.5),
)
LEGEND = Legend(3, ("Cart/Base",), (("Cart/Motor", 0),), ROBOTS)
LEGEND_JSON = {"number": 3, "bodies": ["Cart/Base"], "joints": [["Cart/Motor", 0]], "robots": ROBOTS}
BODY = (1, 2, 3), (1, 0, 0, 0), (4, 5, 6), (7, 8, 9)

TO_SUPERVISOR: list[tuple[ToSupervisor, str, str]] = [
    (
        Welcome(name="page", step=0.001, frame=0, supervisor=True),
        "Welcome",
        text({"protocol": 1, "name": "page", "step": 0.001, "frame": 0, "supervisor": True}),
    ),
    (RequestDone(7, 12, {"name": "Ball"}), "Done", text({"id": 7, "frame": 12, "name": "Ball"})),
    (RequestFailed(7, 12, "no Ü"), "Failed", text({"id": 7, "frame": 12, "reason": "no Ü"})),
    (Timestamp(1.5), "Timestamp", numbers(1.5)),
    (LEGEND, "Legend", text(LEGEND_JSON)),
    (
        TRUTH,
        "Truth",
        struct.pack("<qIIII", -5, 3, 1, 1, 1).hex() + "".join(numbers(*part) for part in BODY) + numbers(0.5, -0.5),
    ),
    (CapturedReading("Cart/Tilt", 0.25, b"\0\1"), "Cart/Tilt", numbers(0.25) + "0001"),
    (
        ContactPoints(array([1, 2, 3], [4, 5, 6]), array([0, 0, 1], [1, 0, 0]), array(0.1, 0.2)),
        "Contacts",
        numbers(1, 2, 3, 4, 5, 6, 0, 0, 1, 1, 0, 0, 0.1, 0.2),
    ),
    (ContactForces(array([1, 2, 3, 4, 5, 6])), "Forces", numbers(1, 2, 3, 4, 5, 6)),
    (Pushes(array([1, 2, 3, 4, 5, 6])), "Pushes", numbers(1, 2, 3, 4, 5, 6)),
    (ComponentCommands("R/M", array([38, 1, 2, 0.5])), "Commands", b"R/M\0".hex() + numbers(38, 1, 2, 0.5)),
    (FrameEnd(), "FrameEnd", ""),
    (ForwardedDrawing("Cart", b"plan\0{}"), "Draw", (b"Cart\0plan\0{}").hex()),
    (Error("enough"), "Error", b"enough".hex()),
]
REQUESTS: list[tuple[Request, str, str]] = [
    (Request("Pause"), "Pause", text({"id": 0})),
    (Request("Step", 3, None, {"frames": 10}), "Step", text({"id": 3, "frames": 10})),
    (
        Request("Teleport", 4, 20, {"thing": "Ü", "position": [0.0, 1.0, 2.5]}),
        "Teleport",
        text({"id": 4, "frame": 20, "thing": "Ü", "position": [0.0, 1.0, 2.5]}),
    ),
]


def body(name: str, payload: str) -> bytes:
    return name.encode() + b"\0" + bytes.fromhex(payload)


def message(name: str, payload: str) -> bytes:
    data = body(name, payload)
    return struct.pack("<I", len(data)) + data


def plain(event: object) -> object:
    """What can be compared."""
    return type(event), [
        value.tolist() if isinstance(value, np.ndarray) else value
        for value in (getattr(event, field.name) for field in dataclasses.fields(event))  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(("event", "name", "payload"), TO_SUPERVISOR)
def test_encode_and_decode(event: ToSupervisor, name: str, payload: str) -> None:
    assert encode_to_supervisor(event) == message(name, payload)
    assert plain(decode_to_supervisor(body(name, payload))) == plain(event)


def test_requests_both_ways() -> None:
    server, supervisor = SupervisorServerEnd(), SupervisorClientEnd()
    assert supervisor.send(Handshake(supervisor_document("page"))).endswith(b"</Supervisor>\0")
    for request, name, payload in REQUESTS:
        assert supervisor.send(request) == message(name, payload)
        server.receive_data(message(name, payload))
    assert list(server.events()) == [request for request, *_ in REQUESTS]


def test_empty_payload_is_an_empty_object() -> None:
    server = SupervisorServerEnd()
    server.receive_data(message("Pause", ""))
    assert list(server.events()) == [Request("Pause")]


def test_split_at_every_byte() -> None:
    data = b"".join(message(name, payload) for _, name, payload in TO_SUPERVISOR)
    for cut in range(len(data)):
        supervisor = SupervisorClientEnd()
        supervisor.receive_data(data[:cut])
        seen = list(supervisor.events())
        supervisor.receive_data(data[cut:])
        seen += supervisor.events()
        assert [plain(event) for event in seen] == [plain(event) for event, *_ in TO_SUPERVISOR]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (message("Pause", b"{".hex()), "the payload of Pause is not JSON"),
        (message("Pause", b"[]".hex()), "the payload of Pause is not a JSON object"),
        (message("Pause", b'{"id": "x"}'.hex()), "id and frame are whole numbers"),
        (message("Pause", b'{"frame": 1.5}'.hex()), "id and frame are whole numbers"),
        (message("Pause", b'{"id": true}'.hex()), "id and frame are whole numbers"),
        (message("Pause", b'{"x": NaN}'.hex()), "NaN is no JSON number"),
        (message("Pause", (b"[" * 100_000).hex()), "the payload of Pause is not JSON: it is nested"),
        (struct.pack("<I", LONGEST_REQUEST + 1), "longer than"),
    ],
)
def test_what_a_supervisor_must_not_send(data: bytes, reason: str) -> None:
    server = SupervisorServerEnd()
    server.receive_data(data)
    with pytest.raises(RemoteProtocolError, match=reason):
        list(server.events())


@pytest.mark.parametrize(
    ("name", "payload", "reason"),
    [
        ("Truth", "00", "cannot be read"),
        ("Truth", struct.pack("<qIIII", 0, 1, 2, 0, 0).hex(), "another number of bytes"),
        ("Contacts", numbers(1, 2, 3), "rows of 7"),
        ("Forces", "00", "rows of 6"),
        ("Pushes", "00", "rows of 6"),
        ("Commands", "520000", "rows of 4"),
        ("Done", text({"id": 1}), "whole numbers"),
        ("Legend", text({"number": 1}), "legend cannot be read"),
        ("Cart/Tilt", "00", "no message to a supervisor"),
        ("Tilt", numbers(1, 2), "no message to a supervisor"),
    ],
)
def test_what_a_server_must_not_send(name: str, payload: str, reason: str) -> None:
    with pytest.raises(RemoteProtocolError, match=reason):
        decode_to_supervisor(body(name, payload))


def test_what_we_must_not_send() -> None:
    supervisor = SupervisorClientEnd()
    with pytest.raises(LocalProtocolError, match="handshake comes first"):
        supervisor.send(Request("Pause"))
    supervisor.send(Handshake(supervisor_document("page", "se<cret")))
    for arguments in ({"x": float("nan")}, {"x": object()}, {"id": 3}, {"frame": 3}):
        with pytest.raises(LocalProtocolError):
            supervisor.send(Request("Rate", 1, None, arguments))


def test_welcome_comes_first_and_once() -> None:
    for first, reason in ((FrameEnd(), "FrameEnd came where Welcome is due"), (TO_SUPERVISOR[0][0], "twice")):
        supervisor = SupervisorClientEnd()
        supervisor.receive_data(encode_to_supervisor(first) * 2)
        with pytest.raises(RemoteProtocolError, match=reason):
            list(supervisor.events())


def read(*events: Any) -> list[Any]:
    reader = PictureReader()
    return [picture for event in events if (picture := reader.read(event)) is not None]


def test_pictures_are_put_together() -> None:
    events = [event for event, *_ in TO_SUPERVISOR[3:9]]
    eye = CapturedReading("Cart/Eye", 0.5, bytes(range(6)))
    tilt = CapturedReading("Cart/Tilt", 0.25, struct.pack("<f", 2.5))
    (first, second) = read(
        *(event for event in events if not isinstance(event, CapturedReading)),
        *(eye, tilt, FrameEnd()),
        *(Timestamp(2.0), TRUTH, FrameEnd()),
    )
    assert (first.time, first.frame, first.standing) == (1.5, -5, True)
    assert first["Cart"].position.tolist() == [1, 2, 3]
    assert first.joint("Cart/Motor") == (0.5, -0.5)
    assert first.contacts.tolist() == [[1, 2, 3, 0, 0, 1, 0.1], [4, 5, 6, 1, 0, 0, 0.2]]
    assert first.forces.tolist() == [[1, 2, 3, 4, 5, 6]]
    assert (first.readings["Cart/Tilt"], first.readings["Cart/Eye"].tolist()) == (2.5, [[0, 1, 2], [3, 4, 5]])
    assert first.captured == {"Cart/Tilt": 0.25, "Cart/Eye": 0.5}
    assert (second.time, second.legend, second.readings, second.contacts) == (2.0, first.legend, {}, None)


@pytest.mark.parametrize(
    "events",
    [
        (FrameEnd(),),
        (Timestamp(0.0), FrameEnd()),
        (Timestamp(0.0), TRUTH, FrameEnd()),
        (Timestamp(0.0), LEGEND, TRUTH, CapturedReading("Cart/Nose", 0.0, b""), FrameEnd()),
        (Timestamp(0.0), LEGEND, TRUTH, CapturedReading("Cart/Tilt", 0.0, b"123"), FrameEnd()),
    ],
)
def test_pictures_that_are_incomplete(events: tuple[Any, ...]) -> None:
    with pytest.raises(RemoteProtocolError):
        read(*events)


def test_encoded_picture_is_its_events() -> None:
    picture = EncodedPicture.of(1.5, EncodedLegend.of(LEGEND), [TRUTH])
    data = picture.opening + picture.legend + picture.content
    expected: list[ToSupervisor] = [Timestamp(1.5), LEGEND, TRUTH, FrameEnd()]
    assert data == b"".join(map(encode_to_supervisor, expected))
