"""Programs of strangers: everything that version 2 of the protocol lets a client say, with something wrong in it.

A real session takes it, beside a simulation that goes on; whatever is said, the session does not raise.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

from tests.robustness.chance import ODD_NUMBERS, chance, damaged_bytes, damaged_json, pick
from ubersim.description import RobotDescription, read_robot
from ubersim.errors import UberSimError
from ubersim.protocol import Welcome
from ubersim.server.loose_session import LooseSession
from ubersim.server.session import Session
from ubersim.server.sparse_session import SparseSession
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.program_logs import ProgramLogs

DOCUMENT = """<Client><CSettings><Name>{name}</Name><Latency>{latency}</Latency><Protocol>2</Protocol>
<Spawn><Position><x>{x}</x><y>0</y><z>0.3</z></Position></Spawn></CSettings><Entity><RigidBodies>
<Body name="Base"><Box name="Plate"><Mass>2</Mass><XSize>0.3</XSize><YSize>0.4</YSize><ZSize>0.1</ZSize>
<Position><x>0</x><y>0</y><z>0</z></Position><Material>Plastic</Material></Box>
<InclinometerSensor name="Tilt"><Position><x>0</x><y>0</y><z>0</z></Position></InclinometerSensor>
<RadioSensor name="Radio"><Position><x>0</x><y>0</y><z>0</z></Position></RadioSensor>
<LocalizationSensor name="Place"><Position><x>0</x><y>0</y><z>0</z></Position></LocalizationSensor>
<RefereeSensor name="Whistle"><Position><x>0</x><y>0</y><z>0</z></Position></RefereeSensor></Body>
<Body name="Wheel"><Sphere name="Ball"><Mass>1</Mass><Radius>0.1</Radius>
<Position><x>0</x><y>0.3</y><z>0</z></Position><Material>Rubber</Material></Sphere></Body></RigidBodies>
<Joints><JointHinge name="Arm"><Body1>Base</Body1><Body2>Wheel</Body2><Axis><x>1</x><y>0</y><z>0</z></Axis>
<AnchorPos><x>0</x><y>0.3</y><z>0</z></AnchorPos></JointHinge></Joints>
<Motors><PositionServo name="Servo"><Joint>Arm</Joint><Kp>5</Kp><TorqueLimit>5</TorqueLimit></PositionServo>
</Motors></Entity></Client>"""
PROPERTIES = {
    "Arm": (0, 1, 2, 3), "Servo": (32, 33), "Tilt": (0, 1, 2), "Place": (1, 2), "Plate": (24,), "Client": (0,),
}  # fmt: skip
STRANGE_NAMES = ("", "Nobody", "Whistle", "\x1b[2J")


def document(name: str = "R", *, x: float = 0.0, latency: int = 5) -> str:
    """A robot that has a part of every kind that takes more than numbers."""
    return DOCUMENT.format(name=name, x=x, latency=latency)


@cache
def description(latency: int) -> RobotDescription:
    """The same, read."""
    return read_robot(document(latency=latency))


def message(name: str, payload: bytes) -> bytes:
    """As the wire has it."""
    body = name.encode() + b"\0" + payload
    return struct.pack("<I", len(body)) + body


DECLARATIONS: tuple[dict[str, Any], ...] = (
    {"name": "gain", "kind": "number", "value": 1.0, "low": 0.0, "high": 3.0},
    {"name": "on", "kind": "bool", "value": False},
    {"name": "mode", "kind": "choice", "value": "a", "choices": ["a", "b"]},
    {"name": "note", "kind": "text", "value": "hello"},
    {"name": "Log", "kind": "bool", "value": False},
)
DRAWING = {"lines": [[[0, 0, 0], [1, 1, 1]]], "text": "x", "at": [0, 0, 0], "color": [1, 0, 0], "space": "Base"}
LOGGED = (
    b"\1" + bytes(8),
    b"\2" + bytes(24),
    b"\3\1hello",
    b"\4\x89PNG\r\n\x1a\n",
    b"\5Base\0" + bytes(24),
    b"\6" + json.dumps(DRAWING).encode(),
)


def said(random: Random, frame: int) -> bytes:
    """Something that a program may say while it thinks about a frame, sound or not."""
    time = frame * 0.001 + random.choice(ODD_NUMBERS if chance(random, 0.05) else (0.0, 0.001, 0.01))
    match random.randrange(8):
        case 0:
            what = pick(random, DECLARATIONS)
            what = damaged_json(random, what) if chance(random, 0.6) else what
            spoken = message("Declare", json.dumps(what).encode(errors="replace"))
        case 1:
            spoken = message("Log", random.choice([b"a", b"b/c", b"d"]) + b"\0" + _logged(random))
        case 2:
            spoken = message("Cancel", _component(random).encode() + b"\0" + struct.pack("<d", time))
        case 3:
            drawn = damaged_json(random, {"name": "d", **DRAWING})
            spoken = message("Draw", json.dumps(drawn).encode(errors="replace"))
        case 4:
            payload = random.randbytes(random.choice([0, 1, 7, 9, 12, 24, 1024]))
            spoken = message("Radio" if chance(random, 0.9) else _component(random), payload)
        case 5:
            times = sorted(random.uniform(0.0, 9.0) for _ in range(random.choice([1, 2, 200])))
            waypoints = (struct.pack("<3f", time, _value(random), _value(random)) for time in times)
            spoken = message("Servo", b"".join(waypoints))
        case 6:
            spoken = message("Timestamp", struct.pack("<d", time))
        case _:
            component = _component(random)
            number = pick(random, PROPERTIES.get(component, (0,)))
            spoken = message(component, struct.pack("<If", number, _value(random)))
    return damaged_bytes(random, spoken) if chance(random, 0.1) else spoken


def _component(random: Random) -> str:
    return pick(random, STRANGE_NAMES if chance(random, 0.03) else tuple(PROPERTIES))


def _value(random: Random) -> float:
    """As f32 has them, mostly small."""
    usual = random.uniform(-3.0, 3.0)
    return min(max(random.choice(ODD_NUMBERS), -3e38), 3e38) if chance(random, 0.05) else usual


def _logged(random: Random) -> bytes:
    entry = pick(random, LOGGED)
    if chance(random, 0.3):
        entry = bytes([entry[0] | 128]) + entry[1:]
    return damaged_bytes(random, entry) if chance(random, 0.5) else entry


def session_on(
    connection: socket.socket, simulation: Simulation, latency: int = 5, kind: type[Session] = Session
) -> Session:
    """The session of a program whose robot joins that world."""
    robot = simulation.spawn(description(latency))
    logs = ProgramLogs(simulation, lambda *_: None, lambda: True)
    welcome = Welcome.introducing(introduction_of(robot), step=simulation.step_size, frame=simulation.frame)
    return kind(connection, robot, welcome, logs=logs)


@contextlib.contextmanager
def session_of(simulation: Simulation, latency: int = 5, kind: type[Session] = Session) -> Iterator[Session]:
    """The same, with a connection whose other end says nothing."""
    here, there = socket.socketpair()
    with here, there:
        yield session_on(here, simulation, latency, kind)


def run(random: Random) -> None:
    """One program, which talks for a few frames."""
    kind = pick(random, (Session, Session, SparseSession, LooseSession))
    with Simulation() as simulation, session_of(simulation, random.choice([0, 5, 40]), kind) as session:
        for _ in range(random.choice([3, 10])):
            if not session.passes_over(simulation.frame, [("Tilt", b"")] if chance(random, 0.5) else []):
                session.queue(simulation.frame, b"", b"")
            for _ in range(random.choice([0, 1, 5])):
                session.take(said(random, simulation.frame))
            with contextlib.suppress(UberSimError):
                session.take(message("Ack", struct.pack("<d", simulation.time)))
            if session.gone is not None:
                assert session.gone
                return
            if session.allowed < simulation.frame:  # its ack is part of a message that never ends: it is waited for
                return
            simulation.settle_frame()
            with contextlib.suppress(UberSimError):
                simulation.finish_frame()
                simulation.begin_frame()
