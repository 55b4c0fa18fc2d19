"""What a client says, checked message by message as a server would, and in more detail."""

from __future__ import annotations

from typing import Any

from ubersim.conformance.script import Script
from ubersim.errors import RemoteProtocolError
from ubersim.protocol.cancel import decode_cancel
from ubersim.protocol.log_entries import LogParts
from ubersim.protocol.messages import quoted
from ubersim.protocol.names import CANCEL, CLIENT, DECLARE, LOG
from ubersim.protocol.parameters import decode_declaration
from ubersim.protocol.server_lane import ACK, STAMP, CommandReader
from ubersim.timing.latency import frame_at

Said = tuple[Any, ...]
"""A command as it can be compared: the frame that it answers, component, number or kind, value."""


class Answers:
    """Takes bytes; knows what was acknowledged and commanded, and what was wrong."""

    def __init__(self, script: Script) -> None:
        self.acked = -1
        """The last frame that was acknowledged."""
        self.commands: list[Said] = []
        """In the order in which they came."""
        self.faults: list[str] = []
        self._script = script
        self._reader = CommandReader(script.robot.settable())
        self._sent = -1
        self._parts = LogParts()

    @property
    def in_midst(self) -> bool:
        """Whether a message has begun and not ended."""
        return not self._reader.idle and not self.faults

    def sent(self, frame: int) -> None:
        """The client was sent frames up to this one."""
        self._sent = frame

    def take(self, data: bytes) -> None:
        """Understands bytes of the client's."""
        for target, value in self._reader.read(data):
            try:
                self._take(target, value)
            except RemoteProtocolError as error:
                self.faults.append(str(error))
        if self._reader.error is not None and str(self._reader.error) not in self.faults:
            self.faults.append(str(self._reader.error))

    def _take(self, target: tuple[str, int], value: Any) -> None:
        name, number = target
        if target is ACK:
            self._ack(value)
        elif target is STAMP:
            if frame_at(value, self._script.step) <= self.acked:
                raise RemoteProtocolError(f"a Timestamp of {value:g} s, which was acknowledged before")
        elif name == CANCEL:
            component, _ = decode_cancel(value)
            if component and component not in self._script.robot.settable():
                raise RemoteProtocolError(
                    f"there is no component {quoted(component)} whose commands could be cancelled"
                )
        elif name == DECLARE:
            decode_declaration(value)
        elif name == LOG:
            self._parts.take(value)
        else:
            if name != CLIENT:
                self._script.robot.check(target, value)
            self.commands.append((self.acked + 1, name, number, value))

    def _ack(self, time: float) -> None:
        frame = round(time / self._script.step)
        if abs(time - self._script.time(frame)) > 1e-6 * self._script.step:
            raise RemoteProtocolError(f"an Ack of {time!r} s, which is the time of no frame")
        if frame > self._sent:
            raise RemoteProtocolError(f"an Ack of frame {frame}, which has not been sent yet")
        if frame < self.acked:
            raise RemoteProtocolError(f"an Ack of frame {frame} after that of frame {self.acked}")
        self.acked = frame


def unlike(these: list[Said], those: list[Said]) -> str:
    """The first difference between what was commanded in two runs of the same frames; empty: there is none."""
    for one, other in zip(these, those, strict=False):
        if one != other:
            return f"{_words(one)} there, {_words(other)} here"
    return ""


def _words(said: Said) -> str:
    frame, name, number, value = said
    return f"{quoted(name)}[{number}] = {value if isinstance(value, float) else 'a payload'} in answer to frame {frame}"
