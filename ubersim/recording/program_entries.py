"""What programs have logged in a recorded run, by the frames that they thought about: as supervisors got it then."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ubersim.protocol.messages import LENGTH
from ubersim.protocol.supervisor_events import ForwardedLog
from ubersim.protocol.supervisor_messages import decode_to_supervisor
from ubersim.recording.damage import damage
from ubersim.recording.log import Log

TOPIC = "/ubersim/programs"


class ProgramEntries:
    """Knows where they are in the file; what they are is read when it is asked for."""

    def __init__(self, log: Log) -> None:
        self._log = log

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

    def _at(self, frame: int) -> Sequence[ForwardedLog]:
        entries = []
        for chunk in dict.fromkeys(self._chunks[frame]):
            for data in self._log.messages(chunk, TOPIC, frame):
                with damage(self._log.path, f"what a program logged in frame {frame}"):
                    event = decode_to_supervisor(data[LENGTH.size :])
                    assert isinstance(event, ForwardedLog)
                    entries.append(event)
        return entries
