"""The bytes, numbers and limits that docs/protocol.md promises are those of the code."""

import dataclasses
import re
import struct
from pathlib import Path

import pytest

from ubersim.description.reference import refreshed
from ubersim.protocol import (
    MAX_DOCUMENT,
    MAX_FROM_CLIENT,
    RESERVED_NAMES,
    Ack,
    Actuation,
    Command,
    End,
    FrameEnd,
    Reading,
    Timestamp,
    Welcome,
    encode,
)
from ubersim.protocol.cancel import encode_cancel
from ubersim.protocol.log_entries import log_entry, log_payloads
from ubersim.protocol.messages import message
from ubersim.protocol.parameters import declaration, encode_declaration
from ubersim.timing import lockstep
from ubersim.timing.latency import LONGEST_MS

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def test_hex_examples() -> None:
    lines = re.findall(r"^((?:[0-9a-f]{8,} *)+) {2,}((?:server|client): .*)$", TEXT, re.MULTILINE)
    documented = {meaning: bytes.fromhex(text) for text, meaning in lines}
    assert documented == {
        "server: Timestamp 1.5": encode(Timestamp(1.5)),
        "server: the sensor Tilt reads 0.25": encode(Reading("Tilt", bytes.fromhex("0000803e"))),
        "server: FrameEnd": encode(FrameEnd()),
        "server: Timestamp 0.001": encode(Timestamp(0.001)),
        "server: the sensor Tilt reads 0": encode(Reading("Tilt", bytes(4))),
        "server: Timestamp 0.005, the next frame that is sent": encode(Timestamp(0.005)),
        "client: Timestamp 1.5605": encode(Timestamp(1.5605)),
        "client: property 2 (Vel) of LMotor = -3": encode(Command("LMotor", 2, -3.0)),
        "client: property 0 (Latency) of Client = 20 ms": encode(Command("Client", 0, 20.0)),
        "client: Ack 1.5": encode(Ack(1.5)),
        "server: End, finished, frame 2, done": encode(End("finished", 2, "done")),
        "client: Declare on, a bool": encode(Actuation("Declare", encode_declaration(declaration("on", False)))),
        "client: Log ball, the number 1.5": message("Log", *log_payloads(log_entry("ball", 1.5))),
        "client: Cancel for LMotor, from 0.06 s on": encode(Actuation("Cancel", encode_cancel("LMotor", 0.06))),
        "client: a payload for Arm.S": encode(Actuation("Arm.S", struct.pack("<3f", 0.5, 1.0, 0.0))),
    }


def test_the_tables_of_properties_are_current() -> None:
    """If not: `python -m ubersim.description.reference docs/protocol.md`."""
    assert refreshed(TEXT) == TEXT


def test_keys_of_the_welcome() -> None:
    section = TEXT[TEXT.index("## Welcome") : TEXT.index("## Properties")]
    documented = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert documented == [field.name for field in dataclasses.fields(Welcome) if field.name != "more"]


@pytest.mark.parametrize(
    "limit",
    [
        f"{MAX_DOCUMENT >> 20} MiB",
        f"{MAX_FROM_CLIENT >> 10} KiB",
        f"{LONGEST_MS / 1000:g} s |",
        f"{lockstep.MAX_AHEAD:,} frames",
        f"| {lockstep.MAX_COMMANDS:,} |",
        f"| {lockstep.MAX_CHANGES:,} |",
        f"{lockstep.MAX_BYTES >> 20} MiB",
        *(f"`{name}`" for name in sorted(RESERVED_NAMES)),
    ],
)
def test_limits_and_reserved_names(limit: str) -> None:
    assert limit in TEXT
