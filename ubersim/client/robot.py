"""What a robot program imports: bring a robot to a server, then live frame by frame.

In a program:

    import ubersim

    with ubersim.connect("robots/segway.xml") as robot:
        for frame in robot:                        # a frame is acknowledged when the next one is asked for
            if "Tilt" in frame:
                robot.set("LMotor", "Vel", 12.0 * frame["Tilt"])
"""

from __future__ import annotations

import socket
import struct
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import RefusedError, RemoteProtocolError
from ubersim.protocol import ClientConnection, Error, Handshake, Welcome
from ubersim.protocol.client_lane import CommandWriter, FrameReader
from ubersim.protocol.document_settings import with_settings
from ubersim.protocol.drawings import drawing
from ubersim.protocol.properties import CLIENT_PROPERTIES, NUMBERS
from ubersim.transport.connect import open_connection
from ubersim.transport.lingering_close import leave
from ubersim.transport.spin_wait import spinning_recv

Value = float | NDArray[Any]
_STAMP = struct.Struct("<d")
_LEVEL = struct.Struct("<I")
_BUFFER = 1 << 16  # larger ones are mapped and unmapped by malloc in every call, which costs more than the frame


def connect(
    robot: str | Path,
    host: str = "127.0.0.1",
    port: int = 9040,
    *,
    name: str | None = None,
    latency: float | None = None,
    position: tuple[float, float, float] | None = None,
    heading: float = 0.0,
    token: str | None = None,
) -> RemoteRobot:
    """Brings a robot, given as an XML file or as the document itself, to a server, and waits until it is in the world.

    The keywords replace what the document says: its name, its latency [ms], where it spawns [m, degrees], the token.
    """
    document = with_settings(
        _document(robot), name=name, latency=latency, position=position, heading=heading, token=token
    )
    connection = open_connection(host, port)
    try:
        return RemoteRobot(connection, document)
    except BaseException:
        connection.close()
        raise


def _document(robot: str | Path) -> str:
    if isinstance(robot, str) and robot.lstrip().startswith("<"):
        return robot
    path = Path(robot)
    text = path.read_text(encoding="utf-8")
    if "<File>" in text:  # only then is the whole description machinery needed
        from ubersim.description import expand

        text = expand(text, path.parent)
    return text


class Frame:
    """One frame: its time, and the readings that were delivered in it."""

    __slots__ = ("_features", "captured", "levels", "readings", "time")

    def __init__(self, time: float, features: Mapping[str, list[str]]) -> None:
        self.time = time
        """Simulation time [s]."""
        self._features = features
        self.readings: Mapping[str, Value] = _NOTHING
        """The newest reading of each sensor that delivered in this frame."""
        self.captured: Mapping[str, float] = _NOTHING
        """When the readings of stamped sensors were captured [s]."""
        self.levels: Mapping[str, int] = _NOTHING
        """The levels of switchable cameras' readings: 0 image, 1 objects, 2 truth."""

    def __contains__(self, sensor: str) -> bool:
        return sensor in self.readings

    def __getitem__(self, sensor: str) -> Value:
        return self.readings[sensor]

    def by_feature(self, feature: str) -> Value | None:
        """The reading of the first sensor with that `Feature` that delivered in this frame; None if none did."""
        return next((self.readings[name] for name in self._features.get(feature, ()) if name in self.readings), None)


_NOTHING: Mapping[str, Any] = {}


class RemoteRobot:
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
        self.latest: dict[str, Value] = {}
        """The newest reading of every sensor so far."""
        sensors: dict[str, dict[str, Any]] = self.settings.get("sensors", {})
        motors: dict[str, dict[str, Any]] = self.settings.get("motors", {})
        self._own_numbers: dict[str, Mapping[str, int]] = {name: about["properties"] for name, about in motors.items()}
        self._sensors = {name: _Decoder(**about) for name, about in sensors.items()}
        self._labels = {name: {"Type": about["type"], **about.get("labels", {})} for name, about in sensors.items()}
        features = {labels["Feature"] for labels in self._labels.values() if "Feature" in labels}
        self._features = {feature: self.find(feature=feature) for feature in features}

    def __enter__(self) -> RemoteRobot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leaves the world; all that was said so far counts, but a frame that is open is not acknowledged."""
        if self._socket.fileno() >= 0:
            leave(self._socket, self._outgoing.take())

    def __iter__(self) -> Iterator[Frame]:
        while (frame := self.next_frame()) is not None:
            yield frame

    def next_frame(self) -> Frame | None:
        """Acknowledges the last frame with all commands since, waits for the next; None when the server has ended."""
        if self._open is not None:
            self._outgoing.ack(self._open)
            self._open = None
        # The answers to frames that have come together go together: nothing is sent before there is nothing left to do.
        while not self._frames:
            if not self._exchange():
                return None
        self._open, readings = self._frames.popleft()
        frame = Frame(self._open, self._features)
        if readings:
            self._decode(frame, readings)
        return frame

    def find(self, *, feature: str | None = None, type: str | None = None, model: str | None = None) -> list[str]:
        """Names of the sensors with these labels; one without a `Type` has its component's, such as `LidarSensor`."""
        wanted = {"Feature": feature, "Type": type, "Model": model}
        wanted = {label: value for label, value in wanted.items() if value is not None}
        return [name for name, labels in self._labels.items() if wanted.items() <= labels.items()]

    def set(self, component: str, name: str | int, value: float) -> None:
        """Sets a property of a component, as in `set("LMotor", "Vel", 3.0)`; it takes the robot's latency."""
        number = name if isinstance(name, int) else self._own_numbers.get(component, NUMBERS)[name]
        self._outgoing.command(component, number, value)

    def send(self, component: str, payload: bytes) -> None:
        """Sends a component a payload of its own, whose meaning its type defines; it takes the robot's latency."""
        self._outgoing.payload(component, payload)

    def set_latency(self, milliseconds: float) -> None:
        """Changes the robot's own actuation latency."""
        self._outgoing.command("Client", CLIENT_PROPERTIES["Latency"], milliseconds)

    def stamp(self, time: float) -> None:
        """The commands after this count as sent at `time` [s] instead of at the frame's: the program took that long."""
        self._outgoing.stamp(time)

    def draw(self, name: str, *, image: NDArray[np.uint8] | None = None, **what: Any) -> None:
        """Shows something on the live page in place of the last drawing of that name; nothing is simulated of it.

        `lines`: pairs of points; `points`; `text` with `at`; `image`: (height, width, 3); `color`, `width` [m], and
        `body`: places are then in model space as that body carries it, otherwise in the world's [m]. Goes with the ack.
        """
        if image is not None:
            from ubersim.png import encode_png  # only who draws pictures needs it

            what["png"] = encode_png(image)
        self._outgoing.draw(drawing(name, **what))

    def _introduce(self, document: str) -> dict[str, Any]:
        wire = ClientConnection()
        self._socket.sendall(wire.send(Handshake(document.encode())))
        while data := self._socket.recv(_BUFFER):
            wire.receive_data(data)
            for event in wire.events():
                if isinstance(event, Error):
                    raise RefusedError(event.text)
                assert isinstance(event, Welcome)  # the connection lets nothing else come first
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

    def _decode(self, frame: Frame, readings: list[tuple[str, bytes]]) -> None:
        values: dict[str, Value] = {}
        captured: dict[str, float] = {}
        levels: dict[str, int] = {}
        for name, payload in readings:
            decoder = self._sensors.get(name)
            if decoder is None:
                raise RemoteProtocolError(f"the server sent a reading of {name!r}, which its welcome did not announce")
            if decoder.stamped:
                (captured[name],) = _STAMP.unpack_from(payload)
            values[name] = decoder.value(payload)
            if decoder.levels:
                levels[name] = decoder.level(payload)
        self.latest |= values
        frame.readings, frame.captured, frame.levels = values, captured, levels


class _Decoder:
    """How one sensor's payload is read, as the welcome describes it."""

    def __init__(
        self, dtype: str, shape: list[int], stamped: bool, levels: dict[str, dict[str, Any]] | None = None, **_: Any
    ) -> None:
        self.stamped = stamped
        self.levels = {int(level): (np.dtype(form["dtype"]), form["shape"]) for level, form in (levels or {}).items()}
        self._start = _STAMP.size if stamped else 0
        self._dtype = np.dtype(dtype)
        self._shape = shape
        self._scalar = None if shape else struct.Struct("<" + self._dtype.char)

    def level(self, payload: bytes) -> int:
        """The level of a switchable sensor's reading, which says what the rest of it is."""
        return int(_LEVEL.unpack_from(payload, self._start)[0])

    def value(self, payload: bytes) -> Value:
        try:
            if self.levels:
                dtype, shape = self.levels[self.level(payload)]
                return np.frombuffer(payload, dtype, offset=self._start + _LEVEL.size).reshape(shape)
            if self._scalar is not None:
                number: float = self._scalar.unpack_from(payload, self._start)[0]
                return number
            return np.frombuffer(payload, self._dtype, offset=self._start).reshape(self._shape)
        except (struct.error, ValueError, KeyError) as error:
            raise RemoteProtocolError(f"a reading of {len(payload)} bytes is not as announced: {error}") from None
