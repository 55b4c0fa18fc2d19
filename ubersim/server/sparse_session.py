"""One client that is sent only the frames that have something for it: those with readings, and one per second.

What an ack means then. A client that has acknowledged a frame knows of nothing after it until the next one is sent to
it. So its ack stands for all frames up to that next one, and what it says before it has got it counts as stamped with
it, whenever it arrives. Which frames have readings is a matter of the simulation alone; so are the stamps, and so are
the bits. Parameters that were changed go with the next frame that is sent: they never cause one, for then it would
depend on who watches, and when, which frames a program sees.

A client that goes leaves as others do, at the first frame that its acks do not allow. If it has acknowledged all that
it was sent, that is known only when a frame comes that it would have been sent: so long its sensors go on measuring.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from ubersim.errors import RemoteProtocolError
from ubersim.protocol import Welcome
from ubersim.protocol.server_lane import ACK, Target
from ubersim.server.session import CommandedRobot, Session
from ubersim.timing.latency import NEVER
from ubersim.timing.lockstep import MAX_BYTES, MAX_COMMANDS
from ubersim.timing.sparse_frames import SparseFrames


class SparseSession(Session):
    """Its `sent` is the last frame that is behind it, whether it was sent that or not."""

    sparse: ClassVar[bool] = True

    def __init__(self, connection: socket.socket, robot: CommandedRobot, welcome: Welcome, **options: Any) -> None:
        """`options` are those of `Session`."""
        super().__init__(connection, robot, welcome, **options)
        self.frames = SparseFrames(welcome.step, robot.commands.first)
        """Which it is sent."""
        self.open: deque[int] = deque()
        """The frames that it was sent and has not acknowledged."""
        self.early: list[tuple[Target, Any]] = []
        """What it has said before it was sent the frame that this belongs to."""
        self._early_bytes = 0

    def passes_over(self, frame: int, readings: Sequence[tuple[str, bytes]]) -> bool:
        """Whether nothing is due: no reading, and it was told of the time not long ago."""
        if self.frames.tells(frame, readings=bool(readings)):
            return False
        self.sent = frame
        return True

    def queue(self, frame: int, data: bytes | bytearray, plain_answer: bytes) -> None:
        """Queues a frame, and heeds what the client has said early."""
        super().queue(frame, data, b"")
        self.open.append(frame)
        if self.gone is not None:
            self.robot.ignore_sensors()  # now it is known when the robot leaves
        early, self.early, self._early_bytes = self.early, [], 0
        self._obey(early)

    def take(self, data: bytes) -> None:
        """Understands bytes of the client's."""
        super().take(data)
        self.catch_up()

    def catch_up(self) -> None:
        """Acknowledges the frames up to the first that waits for an answer."""
        self.robot.commands.ack((self.open[0] if self.open else self.sent + 1) - 1)
        self.allowed = self._allowed()

    def _obey(self, messages: Iterable[tuple[Target, Any]]) -> None:
        super()._obey(self._in_time(messages))

    def _in_time(self, messages: Iterable[tuple[Target, Any]]) -> Iterator[tuple[Target, Any]]:
        """The messages that answer a frame that was sent; others are kept until there is one."""
        for message in messages:
            if message[0] is not ACK:
                if not self.open:
                    self._keep(message)
                    continue
                self.robot.commands.ack(self.open[0] - 1)
            yield message

    def _keep(self, message: tuple[Target, Any]) -> None:
        self.early.append(message)
        self._early_bytes += len(message[1]) if isinstance(message[1], bytes) else 0
        if len(self.early) > MAX_COMMANDS or self._early_bytes > MAX_BYTES:
            raise RemoteProtocolError("too many messages came before the frame that they belong to")

    def _ack_at(self, time: float) -> None:
        """The client has processed the frame of that time [s], of those that it was sent."""
        commands = self.robot.commands
        commands.ack_at(time, self.frames.told)
        while self.open and self.open[0] <= commands.acked:
            self.open.popleft()

    def _ignore_sensors(self) -> None:
        """When it leaves depends on its sensors, if it waits for none of its answers."""
        if self.open:
            super()._ignore_sensors()

    @property
    def leaves_at(self) -> int:
        """The first frame that its acks do not allow; not known before there is a frame that it does not answer."""
        if not self.open:
            return NEVER
        self.catch_up()
        return super().leaves_at

    def go_on_with(self, robot: CommandedRobot) -> None:
        """The robot is as it was in another frame."""
        super().go_on_with(robot)
        self.open.clear()
        self.early, self._early_bytes = [], 0
        self.frames.begin(self.sent + 1)

    # The native lane

    def take_back_frames(self, told: int, open_frames: Iterable[int]) -> None:
        """The lane has sent frames, and some of them wait for answers."""
        self.frames.told = told
        self.open = deque(open_frames)
