"""What programs have logged in a recorded run, by the frames that they thought about: as supervisors got it then.

In the file an entry is the message that supervisors get. What is large in it, a picture, points or a long text, stands
once in the file: in the message for other viewers that was written just before it, and the entry says where in there.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property, lru_cache

from ubersim.protocol.log_entries import IMAGE, POINTS, TEXT, LogEntry
from ubersim.protocol.messages import LENGTH
from ubersim.protocol.supervisor_events import ForwardedLog
from ubersim.protocol.supervisor_messages import decode_to_supervisor, encode_to_supervisor
from ubersim.recording.damage import damage
from ubersim.recording.log import Log

TOPIC = "/ubersim/programs"
_PLACE = struct.Struct("<II")
"""Where the rest of an entry is in the message before it: first byte, and how many."""
_LARGE = 64
"""What is shorter is written with the entry [bytes]."""


def encode_entry(said: ForwardedLog, beside: bytes) -> bytes:
    """An entry as it is in the file; `beside` is the message that is written just before it."""
    whole = encode_to_supervisor(said)
    rest = _rest(said.entry)
    place = beside.find(rest) if len(rest) >= _LARGE else -1
    if place < 0:
        return whole
    kept = whole[LENGTH.size : len(whole) - len(rest)]
    return LENGTH.pack(len(kept)) + kept + _PLACE.pack(place, len(rest))


def decode_entry(data: bytes, beside: bytes) -> ForwardedLog:
    """The opposite."""
    (length,) = LENGTH.unpack_from(data)
    body, tail = data[LENGTH.size :][:length], data[LENGTH.size + length :]
    if tail:
        first, size = _PLACE.unpack(tail)
        body += beside[first : first + size]
    event = decode_to_supervisor(body)
    assert isinstance(event, ForwardedLog)
    return event


def _rest(entry: LogEntry) -> bytes:
    """The end of an entry's payload that viewers get as it is."""
    if entry.kind == POINTS:
        return entry.payload.partition(b"\0")[2]
    return {TEXT: entry.payload[1:], IMAGE: entry.payload}.get(entry.kind, b"")


class ProgramEntries:
    """Knows where they are in the file; what they are is read when it is asked for."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._read = lru_cache(maxsize=2)(self._chunk)

    @cached_property
    def _chunks(self) -> dict[int, list[int]]:
        """By frame, in which chunks there is something; once for each of the chunk's messages."""
        found: dict[int, list[int]] = {}
        for chunk, frame in self._log.places(TOPIC):
            found.setdefault(frame, []).append(chunk)
        return found

    def between(self, first: int, last: int) -> list[ForwardedLog]:
        """What was logged from one frame to another, both included; frames as the log counts them."""
        frames = (
            range(first, last + 1)
            if last - first < len(self._chunks)
            else sorted(frame for frame in self._chunks if first <= frame <= last)
        )
        return [entry for frame in frames if frame in self._chunks for entry in self._at(frame)]

    def by_chunk(self) -> Iterator[list[tuple[int, ForwardedLog]]]:
        """All of them, with their frames, as they lie in the file."""
        for chunk in dict.fromkeys(chunk for chunk, _ in self._log.places(TOPIC)):
            with damage(self._log.path, "what programs logged"):
                yield [
                    (frame, decode_entry(data, beside))
                    for frame, found in self._read(chunk).items()
                    for data, beside in found
                ]

    def _at(self, frame: int) -> list[ForwardedLog]:
        entries = []
        for chunk in dict.fromkeys(self._chunks[frame]):
            for data, beside in self._read(chunk).get(frame, ()):
                with damage(self._log.path, f"what a program logged in frame {frame}"):
                    entries.append(decode_entry(data, beside))
        return entries

    def _chunk(self, number: int) -> dict[int, list[tuple[bytes, bytes]]]:
        """The entries of a chunk by frame, each with the message before it."""
        found: dict[int, list[tuple[bytes, bytes]]] = {}
        beside = b""
        for topic, frame, data in self._log.messages(number):
            if topic == TOPIC:
                found.setdefault(frame, []).append((data, beside))
            beside = data
        return found
