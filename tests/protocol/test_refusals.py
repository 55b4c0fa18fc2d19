"""What the other side may not send, and what a program may not ask for: refused in words."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest

from ubersim.errors import LocalProtocolError, RemoteProtocolError, UberSimError
from ubersim.protocol import supervisor_messages
from ubersim.protocol.client_lane import _MANY_NAMES, FrameReader
from ubersim.protocol.document_settings import latency_element, with_settings
from ubersim.protocol.drawings import read_drawing
from ubersim.protocol.end import End, encode_end
from ubersim.protocol.events import Draw, Reading, Timestamp
from ubersim.protocol.frames import FrameDecoder
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.log_entries import MORE, MOST_BEGUN, NUMBER, TEXT, LogParts, log_entry
from ubersim.protocol.messages import encode
from ubersim.protocol.parameters import decode_change, decode_declaration, encode_change
from ubersim.protocol.program_parameters import ProgramParameters
from ubersim.protocol.server_lane import FRAME_END, as_pair

TEMPERATURE = {"dtype": "<f4", "shape": [2], "stamped": False, "type": "Any"}
PICTURE = TEMPERATURE | {"compression": "gif", "shape": [1, 1, 4], "dtype": "|u1"}


def part(name: str, kind: int, content: bytes = b"x") -> bytes:
    return name.encode() + b"\0" + bytes([kind]) + content


def taken(*payloads: bytes) -> object:
    parts = LogParts()
    return [parts.take(payload) for payload in payloads]


FROM_OTHERS: dict[str, tuple[Callable[[], object], str]] = {
    "unannounced reading": (lambda: FrameDecoder({}).frame(0.0, [("Nose", b"")]), "its welcome did not announce"),
    "short reading": (lambda: FrameDecoder({"T": TEMPERATURE}).frame(0.0, [("T", b"123")]), "not as announced"),
    "compression": (lambda: FrameDecoder({"P": PICTURE}), "compresses pictures as 'gif'"),
    "short change": (lambda: decode_change(b"123"), "a time, a name and a JSON value"),
    "change without a value": (lambda: decode_change(struct.pack("<d", 1.0) + b"gain\0[1]"), "not b"),
    "limits that are no numbers": (
        lambda: decode_declaration(b'{"name": "a", "kind": "number", "value": 1, "low": "x", "high": 2}'),
        "Declare: ",
    ),
    "a list as a name": (
        lambda: decode_declaration(b'{"name": [1], "kind": "text", "value": ""}'),
        "cannot be the name",
    ),
    "an object as a kind": (lambda: decode_declaration(b'{"name": "a", "kind": {}, "value": 1}'), "of no kind that"),
    "a list among choices": (
        lambda: decode_declaration(b'{"name": "a", "kind": "choice", "value": [], "choices": [[]]}'),
        "are texts",
    ),
    "a parameter that nobody declared": (lambda: ProgramParameters().change(0.0, "gain", 1.0), "did not declare"),
    "a log without a time": (lambda: supervisor_messages._decode_log(b"R\0" + b"1234567"), "of 9 bytes cannot be read"),
    "a part of a log": (
        lambda: supervisor_messages._decode_log(b"R\0" + struct.pack("<d", 1.0) + part("a", TEXT | MORE)),
        "that a server sends is whole",
    ),
    "name of a drawing": (lambda: read_drawing(b"\xff\0{}"), "the name of a drawing is not UTF-8"),
    "kinds mixed": (lambda: taken(part("a", TEXT | MORE), part("a", NUMBER)), "a part of kind 1 follows one of kind 3"),
    "never whole": (
        lambda: taken(*[part(f"a{n}", TEXT | MORE) for n in range(MOST_BEGUN + 1)]),
        "lack their last part",
    ),
}
OF_PROGRAMS: dict[str, tuple[Callable[[], object], str]] = {
    "reason of an end": (lambda: encode_end(End("tired", 0)), "does not end for the reason 'tired'"),  # type: ignore[arg-type]
    "latency": (lambda: latency_element("<Latency"), "is no element"),
    "a latency's number as text": (lambda: latency_element("12"), "or its element's text, not '12'"),
    "a list of latencies": (lambda: latency_element([3]), r"or its element's text, not \[3\]"),  # type: ignore[arg-type]
    "a truth as a latency": (lambda: latency_element(True), "or its element's text, not True"),
    "settings": (lambda: with_settings("<Client/>", name="A"), "has no CSettings"),
    "not a latency": (lambda: latency_element("<Latenc>3</Latenc>"), "an element Latency, not Latenc"),
    "a drawing as a command": (lambda: as_pair(Draw(b"")), "Draw sets nothing"),
    "bytes of a picture": (lambda: log_entry("p", b"GIF89a"), "no PNG or JPEG file"),
}


@pytest.mark.parametrize(("act", "reason"), FROM_OTHERS.values(), ids=FROM_OTHERS)
def test_from_others(act: Callable[[], object], reason: str) -> None:
    with pytest.raises(RemoteProtocolError, match=reason):
        act()


@pytest.mark.parametrize(("act", "reason"), OF_PROGRAMS.values(), ids=OF_PROGRAMS)
def test_of_programs(act: Callable[[], object], reason: str) -> None:
    with pytest.raises(LocalProtocolError, match=reason):
        act()


def test_what_was_dropped_stays_dropped_up_to_its_last_part() -> None:
    parts = LogParts(budget=2)
    assert [parts.take(part("a", TEXT | MORE)) for _ in range(4)] == [None] * 4
    assert parts.take(part("a", TEXT)) is None and parts.held == 0
    entry = parts.take(part("a", TEXT, b"\1x"))
    assert entry is not None and entry.payload == b"\1x"


def test_a_truth_knows_its_bodies_and_joints() -> None:
    nothing = np.empty(0)
    legend = {"bodies": ["A/Base"], "joints": [["A/Hip", 0]]}
    truth = GroundTruth(0.0, 0, False, legend, nothing, nothing, nothing, nothing, nothing, nothing)
    with pytest.raises(UberSimError, match="there is no body 'B'; there are A/Base"):
        truth["B"]
    with pytest.raises(UberSimError, match="there is no joint 'A/Hip' with an axis 1"):
        truth.joint("A/Hip", 1)


def test_names_of_readings_are_not_kept_without_end() -> None:
    reader = FrameReader()
    welcome = encode(Timestamp(0.0))
    for count in range(0, 2 * _MANY_NAMES, 500):
        names = [f"S{number}" for number in range(count, count + 500)]
        frames = reader.read(welcome + b"".join(encode(Reading(name, b"")) for name in names) + FRAME_END)
        assert [name for name, _ in frames[0][1]] == names
        assert len(reader._names) <= _MANY_NAMES


def test_what_they_let_pass() -> None:
    assert latency_element("<Latency>7</Latency>").text == "7"
    assert decode_change(encode_change(1.5, "gain", "high")) == (1.5, "gain", "high")
    drawn = log_entry("d", {"points": np.array([[1, 2, 3]])})
    assert b'"points":[[1,2,3]]' in drawn.payload
