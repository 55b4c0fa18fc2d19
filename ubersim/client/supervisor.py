"""What a program imports that stands above the robots: it stops time, moves things, and knows everything.

    from ubersim.client.supervisor import supervise

    with supervise() as world:
        world.pause()
        world.teleport("Segway", (0.0, 2.0, 0.0))
        world.step(100)
        print(world.truth()["Segway/MainBody"].position)

Every call returns when the server has done it; with `frame=` at once, and it is done in that very frame.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import struct
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ubersim.errors import RefusedError, RemoteProtocolError, UberSimError
from ubersim.protocol.connection import MAX_FROM_SERVER, Connection
from ubersim.protocol.ground_truth import GroundTruth, decode_truth
from ubersim.protocol.messages import message, split
from ubersim.transport.connect import open_connection

_TIME = struct.Struct("<d")
_KEPT = 256
"""Pictures that wait to be looked at; older ones are forgotten."""


def supervise(
    host: str = "127.0.0.1", port: int = 9040, *, name: str = "supervisor", token: str | None = None
) -> Supervisor:
    """Connects to a server."""
    connection = open_connection(host, port)
    try:
        return Supervisor(connection, name, token)
    except BaseException:
        connection.close()
        raise


class _Wire(Connection[tuple[str, bytes]]):
    def _next(self) -> tuple[str, bytes] | None:
        body = self._next_body(MAX_FROM_SERVER)
        return None if body is None else split(body)


class Supervisor:
    """One connection. Its requests are executed in the order of the calls."""

    def __init__(self, connection: socket.socket, name: str, token: str | None = None) -> None:
        self._socket = connection
        self._wire = _Wire()
        self._numbers = itertools.count(1)
        self._answers: dict[int, tuple[str, dict[str, Any]]] = {}
        self._unheeded: set[int] = set()
        self._pictures: deque[GroundTruth] = deque(maxlen=_KEPT)
        self._drawings: deque[tuple[str, str, dict[str, Any]]] = deque(maxlen=_KEPT)
        self._asked_for: GroundTruth | None = None
        self._legend: dict[str, Any] = {}
        self._open: list[tuple[str, bytes]] = []
        secret = "" if token is None else f"<Token>{escape(token)}</Token>"
        document = f"<Supervisor><CSettings><Name>{escape(name)}</Name>{secret}</CSettings></Supervisor>"
        connection.sendall(document.encode() + b"\0")
        self.settings = self._welcome()
        """All that the server said in its welcome."""
        self.step_size: float = self.settings["step"]
        """Length of a frame [s]."""
        self.frame: int = self.settings["frame"]
        """The frame of the last answer."""

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leaves; when the last supervisor has left, time goes on as without one."""
        self._socket.close()

    # Time

    def pause(self, *, frame: int | None = None) -> None:
        """Lets time stand still."""
        self.ask("Pause", frame)

    def resume(self) -> None:
        """Lets time go on, also without robots."""
        self.ask("Resume")

    def step(self, frames: int = 1) -> int:
        """Lets that many frames pass, then stand still; returns the frame that is reached."""
        self.ask("Step", frames=frames)
        return self.frame

    def rate(self, rate: float) -> None:
        """Times real time; 0: as fast as it goes."""
        self.ask("Rate", rate=rate)

    def reset(self, *, frame: int | None = None) -> None:
        """Back to frame 0: every robot where it spawned, every object where it started."""
        self.ask("Reset", frame)

    def snapshot(self, label: str, *, frame: int | None = None) -> None:
        """Keeps the state of everything in the server."""
        self.ask("Snapshot", frame, label=label)

    def restore(self, label: str, *, frame: int | None = None) -> None:
        """Goes on from a snapshot."""
        self.ask("Restore", frame, label=label)

    # Things

    def teleport(
        self,
        thing: str,
        position: Sequence[float] | None = None,
        *,
        heading: float | None = None,
        quaternion: Sequence[float] | None = None,
        linear: Sequence[float] = (0.0, 0.0, 0.0),
        angular: Sequence[float] = (0.0, 0.0, 0.0),
        frame: int | None = None,
    ) -> None:
        """Puts a robot or an object somewhere else [m, rad], at rest, or with a velocity [m/s, rad/s]."""
        place = None if position is None else _list(position)
        turn = None if quaternion is None else _list(quaternion)
        motion = {"linear": _list(linear), "angular": _list(angular)}
        self.ask("Teleport", frame, thing=thing, position=place, heading=heading, quaternion=turn, **motion)

    def push(
        self,
        body: str,
        force: Sequence[float],
        seconds: float,
        *,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        frame: int | None = None,
    ) -> None:
        """Lets a force act on `Robot/Body` or an object [N, world axes]; the point is in the body's own axes [m]."""
        self.ask("Push", frame, body=body, force=_list(force), seconds=seconds, point=_list(point))

    def spawn(
        self,
        xml: str | Path,
        *,
        name: str | None = None,
        position: Sequence[float] | None = None,
        heading: float = 0.0,
        frame: int | None = None,
    ) -> str:
        """Brings a robot (`Client`) or an object (`Body`), given as XML or as a file; returns its name."""
        text = xml if isinstance(xml, str) and xml.lstrip().startswith("<") else Path(xml).read_text(encoding="utf-8")
        place = None if position is None else _list(position)
        answer = self.ask("Spawn", frame, xml=text, name=name, position=place, heading=heading)
        return str(answer.get("name", name or ""))

    def remove(self, thing: str, *, frame: int | None = None) -> None:
        """Takes a robot, or an object that was spawned, out of the world."""
        self.ask("Remove", frame, thing=thing)

    def set(self, robot: str, component: str, property: str | int, value: float, *, frame: int | None = None) -> None:
        """Sets a property of a robot's joint, motor or sensor, without its latency."""
        self.ask("Set", frame, robot=robot, component=component, property=property, value=value)

    def set_latency(self, robot: str, milliseconds: float, *, frame: int | None = None) -> None:
        """Changes a robot's actuation latency."""
        self.ask("Latency", frame, robot=robot, milliseconds=milliseconds)

    def event(self, label: str, *, frame: int | None = None) -> None:
        """Gives an instant a name, for the log."""
        self.ask("Event", frame, label=label)

    # Looking

    def truth(self, *, sensors: Iterable[str] = (), contacts: bool = False) -> GroundTruth:
        """Everything now; with the newest readings of the sensors that are named as `Robot/Sensor`."""
        self.ask("Truth", sensors=list(sensors), contacts=contacts)
        assert self._asked_for is not None
        return self._asked_for

    def watch(
        self,
        *,
        every: int = 0,
        hertz: float = 0.0,
        sensors: Iterable[str] = (),
        contacts: bool = False,
        forces: str = "",
        drawings: bool = False,
    ) -> None:
        """From now on `next_truth` has a picture of every so many frames, or so many per second of real time.

        Who looks too slowly gets fewer of them, and holds up nobody. Without a number it ends. `forces` names a robot
        or an object whose contact forces are told; with `drawings`, `take_drawings` has what clients draw.
        """
        more: dict[str, Any] = {"contacts": contacts, "forces": forces, "drawings": drawings}
        self.ask("Watch", every=every, hertz=hertz, sensors=list(sensors), **more)

    def next_truth(self, timeout: float | None = None) -> GroundTruth | None:
        """The next picture of those asked for with `watch`; None if none comes in time [s]."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._pictures:
            left = None if deadline is None else deadline - time.monotonic()
            if (left is not None and left <= 0) or not self._receive(left):
                return None
        return self._pictures.popleft()

    def take_drawings(self) -> list[tuple[str, str, dict[str, Any]]]:
        """What clients have drawn since the last call: robot, name of the drawing, and what it is."""
        taken = list(self._drawings)
        self._drawings.clear()
        return taken

    def scene(self) -> dict[str, Any]:
        """What there is to see, as plain values: shapes, each with the row of its body, ground, sky and lights.

        `robots` has their latencies, bodies, and sensors with their places.
        """
        scene: dict[str, Any] = self.ask("Scene")["scene"]
        return scene

    # The wire

    def ask(self, verb: str, frame: int | None = None, **arguments: Any) -> dict[str, Any]:
        """Any request of the protocol; arguments that are None are left out. Returns the answer."""
        number = next(self._numbers)
        content = {"id": number} | {name: value for name, value in arguments.items() if value is not None}
        if frame is not None:
            content["frame"] = frame
            self._unheeded.add(number)
        try:
            self._socket.sendall(message(verb, json.dumps(content, allow_nan=False).encode()))
        except ValueError as error:
            raise UberSimError(f"{verb}: {error}") from None
        while frame is None and number not in self._answers:
            self._receive(None)
        return {} if frame is not None else self._answer(number)

    def _answer(self, number: int) -> dict[str, Any]:
        kind, content = self._answers.pop(number)
        self.frame = content["frame"]
        if kind == "Failed":
            raise UberSimError(content["reason"])
        return content

    def _welcome(self) -> dict[str, Any]:
        while data := self._socket.recv(1 << 16):
            self._wire.receive_data(data)
            for name, payload in self._wire.events():
                if name != "Welcome":
                    raise RefusedError(payload.decode("utf-8", "replace"))
                settings: dict[str, Any] = json.loads(payload)
                return settings
        raise RefusedError("the server closed the connection without a word")

    def _receive(self, timeout: float | None) -> bool:
        """Takes what comes; False if nothing did in time."""
        self._socket.settimeout(timeout)
        try:
            data = self._socket.recv(1 << 18)
        except TimeoutError:
            return False
        finally:
            self._socket.settimeout(None)
        if not data:
            raise RefusedError("the server has ended")
        self._wire.receive_data(data)
        for name, payload in self._wire.events():
            self._take(name, payload)
        return True

    def _take(self, name: str, payload: bytes) -> None:
        match name:
            case "Error":
                raise RefusedError(payload.decode("utf-8", "replace"))
            case "Done" | "Failed":
                content = json.loads(payload)
                if content.get("picture"):
                    self._asked_for = self._pictures.pop()  # it came right before
                self._answers[content["id"]] = name, content
                if content["id"] in self._unheeded:
                    self._unheeded.remove(content["id"])
                    self._answer(content["id"])
            case "Timestamp":
                self._open = [(name, payload)]
            case "Draw":
                robot, drawing, content = payload.split(b"\0", 2) if payload.count(b"\0") > 1 else (b"", b"", b"")
                with contextlib.suppress(ValueError, TypeError):  # a client may have sent whatever it liked
                    self._drawings.append((robot.decode(), drawing.decode(), dict(json.loads(content))))
            case "Legend":
                self._legend = json.loads(payload)
            case "FrameEnd":
                self._pictures.append(self._picture())
            case _:
                self._open.append((name, payload))

    def _picture(self) -> GroundTruth:
        (_, stamp), (name, payload), *rest = self._open
        if name != "Truth":
            raise RemoteProtocolError(f"{name} came where Truth is due")
        truth = decode_truth(_TIME.unpack(stamp)[0], payload, self._legend)
        contacts = next((payload for name, payload in rest if name == "Contacts"), None)
        forces = next((payload for name, payload in rest if name == "Forces"), None)
        if forces is not None:
            truth = replace(truth, forces=np.frombuffer(forces, "<f8").reshape(-1, 6))
        for name, payload in rest:
            if name not in ("Contacts", "Forces"):
                robot, _, sensor = name.partition("/")
                about = self._legend["robots"][robot]["sensors"][sensor]
                values = np.frombuffer(payload, about["dtype"], offset=_TIME.size).reshape(about["shape"])
                truth.readings[name] = float(values) if values.ndim == 0 else values
                truth.captured[name] = _TIME.unpack_from(payload)[0]
        if contacts is None:
            return truth
        count = len(contacts) // 56
        numbers = np.frombuffer(contacts, "<f8")
        points, normals, depths = np.split(numbers, [3 * count, 6 * count])
        rows = np.hstack([points.reshape(count, 3), normals.reshape(count, 3), depths.reshape(count, 1)])
        return replace(truth, contacts=rows)


def _list(numbers: Sequence[float]) -> list[float]:
    return [float(number) for number in numbers]
