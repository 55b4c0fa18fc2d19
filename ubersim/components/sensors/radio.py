"""A radio: what a robot says, all others of its team hear, unless it is lost on the way."""

from __future__ import annotations

import struct
from collections import deque
from typing import Any, ClassVar

import numpy as np

from ubersim.components.sensors.base import Mount, SensorDescription
from ubersim.components.sensors.surroundings import Said
from ubersim.description.component import component

LONGEST = 1024
"""Bytes of a message."""
MOST = 16
"""Messages of one robot that wait to be heard; who says more drowns the oldest of its own."""
MOST_HEARD = 2**16
"""Bytes of a reading; what was said first is drowned by what is beyond."""
_LENGTH = struct.Struct("<H")
_STAMP = 8
"""Bytes of a time of capture."""


@component
class RadioSensor(SensorDescription):
    """Broadcasts to the robots of the same `Team`, and hears them: `Latency`, with its `Loss`, is that of the ear.

    A payload that is sent to it is a message, which goes out when the robot's own latency is over. There is a reading
    only if something was said since the last one; `Noise` has no meaning here.
    """

    dtype = "|u1"
    reading = (
        "for each message that was heard: u16 length of what follows, name of the sender (UTF-8), NUL, the message; "
        "none while nobody speaks; 64 KiB at most, the newest"
    )
    payload: ClassVar[str] = f"a message to the team, up to {LONGEST} bytes"

    @property
    def shape(self) -> tuple[int, ...]:
        return (-1,)

    @property
    def largest_reading(self) -> int:
        return MOST_HEARD

    def with_missed(self, missed: bytes, newer: bytes) -> bytes:
        """All that was said."""
        stamp = _STAMP * self.stamped
        return newer[:stamp] + _newest_of(missed[stamp:] + newer[stamp:])

    def decoded(self, payload: bytes) -> bytes:
        if len(payload) > LONGEST:
            raise ValueError(f"a message has up to {LONGEST} bytes")
        return payload

    def build(self, mount: Mount, rng: np.random.Generator) -> Radio:
        return Radio(mount)


class Radio:
    """The device."""

    def __init__(self, mount: Mount) -> None:
        self._there = mount.surroundings
        self._robot = mount.robot
        self._team: str | None = None
        self._since = mount.surroundings.frame
        self._said: Said = deque(maxlen=MOST)

    def _tune(self) -> str:
        """The team's channel; a robot is in the world only after its devices were made."""
        if self._team is None:
            self._team = self._there.robots[self._robot].team
            self._there.radios.open(self._team, self._robot, self._said)
        return self._team

    def execute(self, payload: bytes, frame: int) -> None:
        """Says something."""
        self._tune()
        self._said.append((frame, payload))

    def sample(self) -> bytes | None:
        """What was said since the last time."""
        now = self._there.frame
        heard = self._there.radios.heard(self._tune(), self._robot, self._since, now)
        self._since = now
        if not heard:
            return None
        parts = [sender.encode() + b"\0" + message for _, sender, message in heard]
        return _newest_of(b"".join(_LENGTH.pack(len(part)) + part for part in parts))

    def set(self, number: int, value: float) -> None:
        """There is no noise to set."""

    def state(self) -> dict[str, Any]:
        """What was heard so far, and what may still have to be heard by others."""
        return {"since": self._since, "said": [[frame, message.hex()] for frame, message in self._said]}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._tune()
        self._since = state["since"]
        self._said.clear()
        self._said.extend((frame, bytes.fromhex(message)) for frame, message in state["said"])


def _newest_of(messages: bytes) -> bytes:
    """As many of them as a reading has."""
    first = 0
    while len(messages) - first > MOST_HEARD:
        first += _LENGTH.size + _LENGTH.unpack_from(messages, first)[0]
    return messages[first:]


def messages_in(reading: bytes) -> list[tuple[str, bytes]]:
    """Sender and message of each that a reading has."""
    found, place = [], 0
    while place < len(reading):
        (length,) = _LENGTH.unpack_from(reading, place)
        sender, _, message = reading[place + _LENGTH.size : place + _LENGTH.size + length].partition(b"\0")
        found.append((sender.decode(), message))
        place += _LENGTH.size + length
    return found
