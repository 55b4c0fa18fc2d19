"""A robot program's side of its robot in the world: frames come in, commands go out."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.client import standstill
from ubersim.client.command_names import CommandNames
from ubersim.errors import LocalProtocolError, ProtocolVersionError, RefusedError
from ubersim.protocol import ClientConnection, End, Error, Handshake, Welcome
from ubersim.protocol.cancel import encode_cancel
from ubersim.protocol.client_lane import CommandWriter, FrameReader
from ubersim.protocol.drawings import drawing, space_for_png
from ubersim.protocol.frames import Frame as Frame
from ubersim.protocol.frames import FrameDecoder, Value
from ubersim.protocol.log_entries import LogLevel, log_entry, log_payloads
from ubersim.protocol.names import CANCEL, DECLARE, LOG
from ubersim.protocol.parameters import Declaration, encode_declaration
from ubersim.protocol.program_parameters import Parameter, ParameterDeclarer, ProgramParameters
from ubersim.protocol.properties import CLIENT_PROPERTIES
from ubersim.timing.chunks import Chunk, ChunkPlan, Handover
from ubersim.timing.latency import frame_at, objection_to_own
from ubersim.timing.program_clock import ProgramClock
from ubersim.timing.think_time import Think, ThinkTime
from ubersim.transport.lingering_close import leave
from ubersim.transport.spin_wait import spinning_recv

_BUFFER = 1 << 16  # larger ones are mapped and unmapped by malloc in every call, which costs more than the frame


class RemoteRobot(ParameterDeclarer):
    """The program's side of a robot in the world."""

    def __init__(self, connection: socket.socket, document: str) -> None:
        self._socket = connection
        self._wait = spinning_recv(connection)
        self._outgoing = CommandWriter()
        self._incoming = FrameReader()
        self._frames: deque[tuple[float, list[tuple[str, bytes]]]] = deque()
        self._open: float | None = None
        self.settings = self._introduce(document)
        """All that the server said in its welcome."""
        self.name: str = self.settings["name"]
        """The robot's name on the server."""
        self.step: float = self.settings["step"]
        """Length of a frame [s]."""
        self.frame: Frame | None = None
        """The frame that the program looked at last; None before the first."""
        self._names = CommandNames(document, self.settings)
        self._decoder = FrameDecoder(self.settings.get("sensors", {}))
        self.latest: dict[str, Value] = self._decoder.latest
        """The newest reading of every sensor so far, and single values of it, as in `latest["Imu.force.x"]`."""
        self._parameters = ProgramParameters()
        self._log_switch: Parameter | None = None
        self._thinking: ThinkTime | None = None
        self._plan: ChunkPlan | None = None
        self._chunk: Chunk | None = None
        self._mark = 0
        self._looked_at = 0.0
        self._clock: ProgramClock[Frame] | None = None
        standstill.brought(self)

    def __enter__(self) -> RemoteRobot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leaves the world; all that was said so far counts, but a frame that is open is not acknowledged."""
        if self._socket.fileno() >= 0:
            if self._thinking is not None and self._open is not None:
                self._decide(self._thinking)
            leave(self._socket, self._outgoing.take())

    def __iter__(self) -> Iterator[Frame]:
        while (frame := self.next_frame()) is not None:
            yield frame

    def next_frame(self) -> Frame | None:
        """Acknowledges the last frame with all commands since, waits for the next; None when the server has ended.

        `end` says then why, if the robot's document asks for version 2 of the protocol.
        """
        if self._thinking is not None:
            frame = self._next_look(self._thinking)
        else:
            if self._open is not None:
                self._outgoing.ack(self._open)
            frame = self._take_frame()
        if frame is not None:
            self.frame = frame
            if self._clock is not None:
                self._clock.told(frame.time)
        return frame

    @property
    def holds(self) -> tuple[str, ...]:
        """The server that waits for an answer to a frame that the program has; empty if none does."""
        return standstill.peer(self._socket) if self.frame is None or self._open is not None else ()

    @property
    def clock(self) -> ProgramClock[Frame]:
        """Simulated time, sleep and interval timers; from its first use on it estimates the simulation's speed."""
        if self._clock is None:
            now = self.settings["frame"] * self.step if self.frame is None else self.frame.time
            self._clock = ProgramClock(self.next_frame, self.step, now)
        return self._clock

    def read(self, sensor: str) -> Value | None:
        """The newest reading of a sensor so far, or one value of it, as in `read("Imu.force.x")`; None before one."""
        return self._decoder.read(sensor)

    @property
    def end(self) -> End | None:
        """Why no more frames come; None as long as they do, or if the server has not said: then it may have crashed."""
        incoming = self._incoming
        if incoming.end is None and isinstance(incoming.error, RefusedError):
            return End("failed", frame_at(incoming.time, self.step), str(incoming.error))
        return incoming.end

    def think(self, think: Think, *, hz: float | None = None, overlap: bool = False, seed: int = 0) -> None:
        """From the next frame on the program takes time to think, and the world goes on meanwhile.

        What it commands counts from when it has thought: after so many milliseconds, after what a latency model draws,
        or after as long as it really took (`"measured"`, `Measured(factor)`). Frames that pass meanwhile are not given
        to it; the next one that is has their newest readings, and in `passed` all of them. `hz` is how often it looks,
        at most; with `overlap` it does so also while it is thinking.
        """
        self._thinking = ThinkTime(think, self.step, hz=hz, overlap=overlap, name=self.name, seed=seed)

    def _take_frame(self) -> Frame | None:
        self._open = None
        # The answers to frames that have come together go together: nothing is sent before there is nothing left to do.
        while not self._frames:
            if not self._exchange():
                return None
        self._open, readings = self._frames.popleft()
        return self._decoder.frame(self._open, self._parameters.sift(readings) if readings else readings)

    def _next_look(self, thinking: ThinkTime) -> Frame | None:
        """The next frame that a program looks at which takes time to think; those before it are acknowledged."""
        if self._open is not None:
            self._decide(thinking)
            self._outgoing.ack(self._open)
        passed: list[Frame] = []
        while (frame := self._take_frame()) is not None:
            if thinking.look(frame_at(frame.time, self.step)):
                self._mark, self._looked_at = self._outgoing.mark(), perf_counter()
                return frame.after(passed)
            self._outgoing.ack(frame.time)
            passed.append(frame)
        return None

    def _decide(self, thinking: ThinkTime) -> None:
        """What was commanded since the program looked counts from when it has thought."""
        decided = thinking.decide(perf_counter() - self._looked_at if thinking.measured else 0.0)
        self._outgoing.stamp_from(self._mark, decided * self.step)
        if self._chunk is not None:
            self._send_chunk(self._chunk, decided)
            self._chunk = None

    def _send_chunk(self, chunk: Chunk, decided: int) -> None:
        if self._plan is None or self._plan.handover != chunk.handover:
            self._plan = ChunkPlan(self.step, chunk.handover)
        self.stamp(decided * self.step)
        for component in dict.fromkeys(component for component, _ in chunk.targets):
            self.cancel(component)
        for frame, row in self._plan.take(decided, chunk.seconds, chunk.rows):
            self.stamp(frame * self.step)
            for (component, name), value in zip(chunk.targets, row, strict=True):
                self.set(component, name, value)

    def find(self, *, feature: str | None = None, type: str | None = None, model: str | None = None) -> list[str]:
        """Names of the sensors with these labels; one without a `Type` has its component's, such as `LidarSensor`."""
        return self._decoder.find(feature=feature, type=type, model=model)

    def set(self, component: str, name: str | int, value: float) -> None:
        """Sets a property of a component, as in `set("LMotor", "Vel", 3.0)`; it takes the robot's latency."""
        self._outgoing.command(component, self._names.number(component, name), value)

    def send(self, component: str, payload: bytes) -> None:
        """Sends a component a payload of its own, whose meaning its type defines; it takes the robot's latency."""
        self._names.properties(component)  # refuses one that there is not
        self._outgoing.payload(component, payload)

    def cancel(self, component: str = "", time: float = 0.0) -> None:
        """Takes back commands for a component (empty: for all) that would be executed at that time [s] or later.

        It takes the robot's latency, as a command does: what is executed sooner is out of its reach. The robot's
        document has to ask for version 2 of the protocol, or `connect` with `protocol=2`.
        """
        self._need_version_2("commands can be taken back")
        if component:
            self._names.properties(component)  # refuses one that there is not
        self._outgoing.payload(CANCEL, encode_cancel(component, time))

    def declare(self, made: Declaration) -> Parameter:
        """As `parameter`, which is what programs use; for a declaration that is there already."""
        self._need_version_2("parameters are")
        self._outgoing.payload(DECLARE, encode_declaration(made))
        return self._parameters.declare(made)

    def log(self, name: str, value: Any, *, level: LogLevel = "info", space: str = "") -> None:
        """Says what the program thinks, for logs and the live page; next to nothing where neither listens.

        The value: a number, vector, text with its `level`, image (height, width, 3), points (N, 3), or a drawing: a
        mapping with `lines`, `points`, `text` and `at`, `color`, `width`. `space`: the world if empty, or the name of a
        body that carries points and drawings, or of a camera in whose pixels a drawing is. Version 2, as `cancel`.
        """
        switch = self._log_switch
        if switch is None:
            switch = self._begin_log()
        if switch.value:
            for payload in log_payloads(log_entry(name, value, level=level, space=space)):
                self._outgoing.message(LOG, payload)

    def _begin_log(self) -> Parameter:
        """From now on the server says whether anything listens; until it does, something may."""
        self._log_switch = self.parameter(LOG, True)
        return self._log_switch

    def _need_version_2(self, what: str) -> None:
        if self.settings["protocol"] < 2:
            raise ProtocolVersionError(f"{what} in version 2 of the protocol: connect(protocol=2)")

    def chunk(
        self, actions: Mapping[tuple[str, str], Sequence[float]], seconds: float, handover: Handover = "replace"
    ) -> None:
        """Commands a series of values for each property, which follow each other that many seconds apart.

        The first one counts from when the program has thought. What is left of an older series for the same components
        is taken back; with the handover `blend` the newer one begins with a mixture of both. Version 2, as `cancel`.
        """
        chunk = Chunk.of(actions, seconds, handover)
        for component, name in chunk.targets:
            self._names.number(component, name)  # refuses what there is not
        if self._thinking is None:
            self.think(0.0)
        self._chunk = chunk

    def set_latency(self, milliseconds: float) -> None:
        """Changes the robot's own actuation latency, to a number; `Supervisor.set_latency` sets models, too."""
        if reason := objection_to_own(milliseconds):
            raise LocalProtocolError(reason)
        self._outgoing.command("Client", CLIENT_PROPERTIES["Latency"], milliseconds)

    def stamp(self, time: float) -> None:
        """The commands after this count as sent at `time` [s] instead of at the frame's: the program took that long."""
        self._outgoing.stamp(time)

    def draw(self, name: str, *, image: NDArray[np.uint8] | None = None, **what: Any) -> None:
        """Shows something on the live page in place of the last drawing of that name; nothing is simulated of it.

        `lines`: pairs of points; `points`; `text` with `at`; `image`: (height, width, 3), made coarser if it would not
        fit into a message; `color`, `width` [m], and `body`: places are then in model space as that body carries it,
        otherwise in the world's [m]. Goes with the ack.
        """
        if image is not None:
            from ubersim.png import encode_png_within  # only who draws pictures needs it

            what["png"] = encode_png_within(image, space_for_png(drawing(name, **what)))
        self._outgoing.draw(drawing(name, **what))

    def _introduce(self, document: str) -> dict[str, Any]:
        wire = ClientConnection()
        self._socket.sendall(wire.send(Handshake(document.encode())))
        standstill.wait_for_welcome(self._socket)
        while data := self._socket.recv(_BUFFER):
            wire.receive_data(data)
            for event in wire.events():
                if isinstance(event, Error):
                    raise RefusedError(event.text)
                assert isinstance(event, Welcome)  # the connection lets nothing else come first
                self._incoming = FrameReader(version=event.protocol)
                self._frames += self._incoming.read(wire.trailing_data)
                return event.to_json()
        raise RefusedError("the server closed the connection without a word")

    def _exchange(self) -> bool:
        """Sends what has gathered and takes what comes; False when the server is gone."""
        if self._incoming.error is not None:
            raise self._incoming.error
        try:
            if answers := self._outgoing.take():
                self._socket.sendall(answers)
            data = self._wait(_BUFFER)
        except (BrokenPipeError, ConnectionResetError):
            data = self._last_words()
        self._frames += self._incoming.read(data)
        return bool(data)

    def _last_words(self) -> bytes:
        """What the server had said before it closed; an Error is among it if it dropped us."""
        try:
            return self._socket.recv(_BUFFER)
        except OSError:
            return b""
