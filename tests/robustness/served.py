"""Robots of strangers over the wire: a real server, one client after the other, each leaving in a way of its own.

The server has to live on, whatever comes; no frame may take it more than a second of its processor, and when the
strangers have gone, it holds what it held before.
"""

from __future__ import annotations

import atexit
import contextlib
import socket
import struct
import time
from pathlib import Path
from random import Random

from tests.helpers.raw_client import RawClient
from tests.robustness.chance import chance, damaged_bytes, odd, pick
from tests.robustness.documents import robot
from tests.robustness.machine import Machine
from tests.robustness.programs import said
from tests.robustness.scenes import LONGEST_FRAME, Finding, Scene
from ubersim.errors import UberSimError
from ubersim.protocol import Ack, Command, Error, Welcome
from ubersim.protocol.properties import JOINT_PROPERTIES
from ubersim.protocol.shared_texts import shortened

PATIENCE = 300.0
"""Of a client on a busy machine [s]."""
_ORIGIN = "<Position><x>0</x><y>0</y><z>0</z></Position>"
_FACES = "<Triangles>0 1 2 0 2 3 0 3 1 1 3 2</Triangles>"
_PROTOCOL_2 = "<Protocol>2</Protocol></CSettings>"


class Served:
    """A server, and what it has been through."""

    def __init__(self) -> None:
        self._machine: Machine | None = None
        self._first = self._last = ""
        self.slowest = 0.0
        """Of all frames and joins [s of the server's processor time]."""
        self.joined = self.refused = 0

    @property
    def machine(self) -> Machine:
        if self._machine is None or self._machine.process.poll() is not None:
            self._machine = Machine("--timeout", 2, "--render", "inline")  # pieces of messages are waited for
            self._first = ""
        return self._machine

    def seconds(self) -> float:
        """Of processor time, so far."""
        # The clock of another process: its number is made as clock_getcpuclockid(3) makes it on Linux.
        return time.clock_gettime((~self.machine.process.pid << 3) | 2)

    def check(self) -> None:
        """It is still there."""
        machine = self.machine
        with contextlib.suppress(Exception):
            machine.process.wait(0.0)
        if machine.process.returncode is not None:
            code, told = machine.end()
            raise AssertionError(f"the server has ended with {code}: {told[-3000:]}")
        self._last = self._held()
        self._first = self._first or self._last

    def _held(self) -> str:
        place = Path(f"/proc/{self.machine.process.pid}")
        memory = int((place / "statm").read_text().split()[1]) * 4096 / 1e6
        descriptors, threads = (len(list((place / what).iterdir())) for what in ("fd", "task"))
        return f"{memory:.1f} MB, {descriptors} descriptors, {threads} threads"

    def report(self) -> str:
        """What is to be told of it."""
        counts = f"{self.joined} joined, {self.refused} refused, slowest {self.slowest:.2f} s"
        return f"{counts}; the server held {self._first}, now {self._last}"

    def close(self) -> None:
        """Ends the server; it has to say that all was well."""
        if self._machine is not None and self._machine.process.poll() is None:
            code, told = self._machine.stop()
            assert code == 0 and "Traceback" not in told, told[-3000:]


SERVED = Served()
atexit.register(SERVED.close)


def run(random: Random) -> None:
    """One robot, its commands, and its end."""
    text = robot(random, "R")
    if chance(random, 0.2) and "<Protocol>" not in text:
        text = text.replace("</CSettings>", _PROTOCOL_2)
    if chance(random, 0.05):
        text = _with_mesh(random, text)
    if chance(random, 0.1):
        text = damaged_bytes(random, text.encode()).decode(errors="replace").replace("\0", "")
    scene = Scene([text])
    try:
        _visit(random, scene)
        SERVED.check()
    except Exception as error:
        raise Finding(scene) from error


def _with_mesh(random: Random, text: str) -> str:
    """The same with a mesh that is long enough to be named by its hash: the whole, its hash, or another one."""
    spread = " ".join(f"{random.choice([0, 1, 2])}" for _ in range(3 * random.choice([10, 700])))
    about = f"<Mass>1</Mass>{_ORIGIN}<Material>Metal</Material><Vertices>{spread}</Vertices>{_FACES}"
    text = text.replace("</Body>", f'<Mesh name="Large">{about}</Mesh></Body>', 1)
    match random.randrange(4):
        case 0:
            return text
        case 1:
            return shortened(text)
        case 2:
            return shortened(text).replace('hash="', f'hash="{random.randrange(10)}', 1)
    return text.replace("<Vertices>", f'<Vertices hash="{random.randbytes(16).hex()}">', 1)


def _visit(random: Random, scene: Scene) -> None:
    began = SERVED.seconds()
    client = RawClient(SERVED.machine.port, scene.robots[0])
    client.socket.settimeout(PATIENCE)
    try:
        # Whatever becomes of it: what counts is that the server is there, and was quick.
        with contextlib.suppress(OSError, StopIteration, UberSimError):
            welcome = next(client._events)
            if isinstance(welcome, Error):
                SERVED.refused += 1
            elif isinstance(welcome, Welcome):
                SERVED.joined += 1
                began = _spent(began, "joining")
                _talk(random, client, welcome, scene, began)
    finally:
        client.socket.close()


def _talk(random: Random, client: RawClient, welcome: Welcome, scene: Scene, began: float) -> None:
    settable = _settable(welcome)
    for _ in range(random.choice([3, 10, 20])):
        try:
            frame = client.frame()
        except AssertionError:  # an Error: it had to go
            return
        began = _spent(began, "a frame")
        if frame is None:
            return
        now = frame[0]
        for _ in range(random.choice([0, 1, 3]) if settable else 0):
            name = pick(random, list(settable))
            number, value = pick(random, settable[name]), odd(random, lambda: random.uniform(-30, 30), share=0.1)
            scene.commands.append((round(now / welcome.step), "R", name, number, value))
            with contextlib.suppress(OverflowError):
                client.socket.sendall(_command(name, number, value))
        if welcome.protocol >= 2 and chance(random, 0.5):
            client.socket.sendall(said(random, round(now / welcome.step)))
        client.send(Ack(now))
    _leave(random, client)


def _settable(welcome: Welcome) -> dict[str, list[int]]:
    about = welcome.to_json()
    joints = {name: list(JOINT_PROPERTIES.values()) for name in about.get("joints", {})}
    motors = {name: list(motor["properties"].values()) for name, motor in about.get("motors", {}).items()}
    sensors = {name: [0, 1, 2] for name in about.get("sensors", {})}
    return {name: numbers for name, numbers in (joints | motors | sensors).items() if numbers}


def _command(name: str, number: int, value: float) -> bytes:
    body = name.encode() + b"\0" + struct.pack("<If", number, value)
    return struct.pack("<I", len(body)) + body


def _leave(random: Random, client: RawClient) -> None:
    match random.randrange(5):
        case 0:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        case 1:
            client.socket.shutdown(socket.SHUT_WR)
            while client.socket.recv(1 << 16):
                pass
        case 2:
            client.socket.sendall(random.randbytes(random.randrange(1, 300)))
        case 3:
            client.send(Command("Nobody", 2, 1.0))


def _spent(began: float, what: str) -> float:
    """Not too much of the server's time, since then."""
    now = SERVED.seconds()
    SERVED.slowest = max(SERVED.slowest, now - began)
    assert now - began <= LONGEST_FRAME, f"{what} takes {now - began:.1f} s of the server"
    return now
