"""Random scripts of clients, the same for every lane: what they answer to each frame, and what they do wrong."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.helpers.documents import vector
from ubersim.protocol import Ack, Command, Timestamp
from ubersim.protocol.messages import encode
from ubersim.protocol.properties import MOTOR_PROPERTIES

STEP = 0.001
_LINGER_ZERO = struct.pack("ii", 1, 0)


def message(body: bytes) -> bytes:
    return struct.pack("<I", len(body)) + body


def walker(name: str, settings: str, place: float, sensors: str, motors: str = "", height: float = 0.3) -> str:
    """A hull with a foot, a wheel on a hinge, and an arm on the hull's top, on another one with stops.

    It falls, unless its height is 0.1.
    """
    bodies = f"""
      <Body name="Hull"><Box name="hull"><Mass>2</Mass><XSize>0.3</XSize><YSize>0.4</YSize><ZSize>0.1</ZSize>
        {vector("Position", 0, 0, 0)}<Material>Plastic</Material></Box>
        <Sphere name="foot"><Mass>0.1</Mass><Radius>0.05</Radius>{vector("Position", 0, -0.15, -0.05)}
        <Material>Plastic</Material></Sphere>{sensors}</Body>
      <Body name="Wheel"><Sphere name="ball"><Mass>1</Mass><Radius>0.1</Radius>{vector("Position", 0, 0.3, 0)}
        <Material>Rubber</Material></Sphere></Body>
      <Body name="Arm"><Box name="arm"><Mass>0.5</Mass><XSize>0.05</XSize><YSize>0.05</YSize><ZSize>0.3</ZSize>
        {vector("Position", 0, 0, 0.25)}<Material>Plastic</Material></Box></Body>"""
    joints = f"""
      <JointHinge name="Drive"><Body1>Hull</Body1><Body2>Wheel</Body2>{vector("Axis", 1, 0, 0)}
        {vector("AnchorPos", 0, 0.3, 0)}<FMax>5</FMax><Report><Frequency>300</Frequency></Report></JointHinge>
      <JointHinge name="Lift"><Body1>Arm</Body1><Body2>Hull</Body2>{vector("Axis", 0, 1, 0)}
        {vector("AnchorPos", 0, 0, 0.1)}<LoStop>-60</LoStop><HiStop>60</HiStop></JointHinge>"""
    spawn = f"<Spawn>{vector('Position', place, 0, height)}</Spawn>"
    lists = f"<RigidBodies>{bodies}</RigidBodies><Joints>{joints}</Joints><Motors>{motors}</Motors>"
    return f"<Client><CSettings><Name>{name}</Name>{spawn}{settings}</CSettings><Entity>{lists}</Entity></Client>"


SENSORS = (
    ("InclinometerSensor", ""),
    ("CompassSensor", ""),
    ("GyroSensor", ""),
    ("AccelerometerSensor", ""),
    ("ImuSensor", "<ForceNoise>0.1</ForceNoise>"),
    ("JointSensor", "<Joint>Drive</Joint>"),
    ("JointSensor", "<Joint>Lift</Joint><RateNoise>0.1</RateNoise>"),
    ("LidarSensor", "<Range>3</Range><Beams>5</Beams><Near>0.1</Near>"),
    ("SonarSensor", "<Range>3</Range><Rays>4</Rays>"),
    ("WhiskerSensor", "<Range>3</Range>"),
    ("BumperSensor", ""),
    ("BumperSensor", "<Fov>200</Fov><Threshold>3</Threshold>"),
    ("ContactSensor", ""),
    ("ContactSensor", "<Radius>0.2</Radius>"),
    ("ContactSensor", "<Partner>R0</Partner>"),
    ("OracleSensor", "<Target>self R1/Wheel Nobody R0</Target>"),
    ("OdometrySensor", ""),
    ("OdometrySensor", "<Velocities>true</Velocities>"),
    ("OdometrySensor", "<LeftWheel>Drive</LeftWheel><RightWheel>Drive</RightWheel><WheelRadius>0.1</WheelRadius>"
     "<Track>0.3</Track>"),
    ("OdometrySensor", "<LeftWheel>Lift</LeftWheel><RightWheel>Drive</RightWheel><WheelRadius>0.1</WheelRadius>"
     "<Track>0.3</Track><Velocities>true</Velocities>"),
)  # fmt: skip


def _random_sensor(chance: random.Random, name: str) -> str:
    kind, own = chance.choice(SENSORS)
    text = own
    if chance.random() < 0.5:
        text += f"<Frequency>{chance.choice((1000, 500, 333, 130.7))}</Frequency>"
    if chance.random() < 0.4:
        text += f"<Latency>{chance.choice((0, 1, 2.5, 7))}</Latency>"
    elif chance.random() < 0.15:
        text += '<Latency model="uniform"><Min>1</Min><Max>4</Max></Latency>'
    if chance.random() < 0.4 and kind != "BumperSensor":
        text += "<Noise>0.01</Noise>"
        if chance.random() < 0.5 and kind not in ("OdometrySensor", "OracleSensor"):
            text += "<Bias>0.02</Bias><Resolution>0.005</Resolution>"
    if chance.random() < 0.3:
        text += "<Stamped>true</Stamped>"
    return f'<{kind} name="{name}">{vector("Position", 0, 0, 0.05)}{text}</{kind}>'


def _random_motors(chance: random.Random) -> tuple[str, list[tuple[str, int]]]:
    latency = chance.choice(("", "<Latency>3</Latency>", '<Latency model="uniform"><Min>1</Min><Max>3</Max></Latency>'))
    match chance.randrange(4):
        case 0:
            return "", [("Lift", 2), ("Lift", 3), ("Lift", 0)]
        case 1:
            gains = f"<Kp>20</Kp><Ki>{chance.choice((0, 30))}</Ki><Kd>1</Kd><TorqueLimit>3</TorqueLimit>"
            gains += chance.choice(("", "<SpeedLimit>0.3</SpeedLimit>"))
            servo = f'<PositionServo name="Servo"><Joint>Lift</Joint>{gains}{latency}</PositionServo>'
            return servo, [("Servo", MOTOR_PROPERTIES[name]) for name in ("Target", "Kp", "TorqueLimit", "SpeedLimit")]
        case 2:
            limits = "<TorqueLimit>2</TorqueLimit><Acceleration>50</Acceleration>"
            keeper = f'<VelocityMotor name="Servo"><Joint>Lift</Joint>{limits}{latency}</VelocityMotor>'
            return keeper, [("Servo", MOTOR_PROPERTIES["Speed"])]
        case _:
            numbers = (
                "<NominalVoltage>12</NominalVoltage><Resistance>1</Resistance><TorqueConstant>0.1</TorqueConstant>"
            )
            driven = f'<DCMotor name="Servo"><Joint>Lift</Joint>{numbers}{latency}</DCMotor>'
            return driven, [("Servo", MOTOR_PROPERTIES["Voltage"])]


@dataclass
class Script:
    """One client: its document, and the pieces that it sends after each frame; at the end it closes, or is closed."""

    name: str
    document: str
    pieces: dict[int, list[bytes]] = field(default_factory=dict)
    """By the frame after which they are sent; a frame without an entry is acknowledged and no more."""
    closes_after: int | None = None
    abruptly: bool = False
    received: bytes = b""

    def run(self, port: int) -> None:
        """Until the server or the script ends."""
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(self.document.encode() + b"\0")
        try:
            self._answer(connection)
        except OSError:  # the server has ended
            pass
        finally:
            if self.abruptly:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
            connection.close()

    def _answer(self, connection: socket.socket) -> None:
        start = 0
        frame = 0
        while data := connection.recv(1 << 16):
            self.received += data
            while len(self.received) - start >= 4:
                (length,) = struct.unpack_from("<I", self.received, start)
                end = start + 4 + length
                if len(self.received) < end:
                    break
                body = self.received[start + 4 : end]
                start = end
                if body.startswith(b"Timestamp\0"):
                    frame = round(struct.unpack("<d", body[-8:])[0] / STEP)
                if body.startswith(b"FrameEnd\0"):
                    with contextlib.suppress(OSError):  # who was dismissed reads on, to see why
                        for piece in self.pieces.get(frame, [encode(Ack(frame * STEP))]):
                            connection.sendall(piece)
                    if self.closes_after is not None and frame >= self.closes_after:
                        return

    def messages(self) -> list[bytes]:
        """What was received, one by one."""
        found, start = [], 0
        while start + 4 <= len(self.received):
            (length,) = struct.unpack_from("<I", self.received, start)
            found.append(self.received[start + 4 : start + 4 + length])
            start += 4 + length
        return found

    def errors(self) -> list[str]:
        """What it was told to be wrong."""
        return [settled(found.decode()) for found in self.messages() if found.startswith(b"Error\0")]


def settled(text: str) -> str:
    """What is said about a client that leaves, without what depends on how fast machine and network are."""
    text = re.sub("connection lost: .*", "it closed the connection", text)
    return re.sub("the last one sent is .*", "", text)


_FAULTS: list[Callable[[int], bytes]] = [
    lambda frame: encode(Command("Nobody", 2, 1.0)),
    lambda frame: message(b"Drive\0\2\0\0"),
    lambda frame: encode(Command("Drive", 3, -1.0)),
    lambda frame: message(b"Drive\0" + struct.pack("<If", 2, float("nan"))),
    lambda frame: encode(Timestamp(frame * STEP - 1.0)),
    lambda frame: encode(Ack(frame * STEP + 5.0)),
    lambda frame: struct.pack("<I", 1 << 20),
    lambda frame: message(b"no name at all"),
]


SPARSE = "<Protocol>2</Protocol><Timestamps>readings</Timestamps>"


APART = (1.2, 0.295)
"""How far one robot is from the next: side by side, or pushing each other [m]."""


def random_script(
    chance: random.Random, index: int, frames: int, *, strict: bool, sparse: bool = False, apart: float = 1.2
) -> Script:
    """A client's script of so many frames; a strict server waits for every single ack, a sparse client gets some."""
    latency = chance.choice((0, 0, 2, 5.5, 8))
    settings = f"<Latency>{latency}</Latency>"
    if chance.random() < 0.1:
        settings = '<Latency model="uniform"><Min>2</Min><Max>6</Max></Latency>'
    motors, targets = _random_motors(chance)
    if sparse:
        settings += SPARSE + chance.choice(("", "<Sensors>Drive</Sensors>"))
    sensors = "".join(_random_sensor(chance, f"S{number}") for number in range(chance.randrange(4)))
    name = f"R{index}"
    height = chance.choice((0.3, 0.1))
    script = Script(name, walker(name, settings, apart * index, sensors, motors, height))
    commands = [("Drive", 2), ("Drive", 3), *targets]
    early = frames - 12  # what comes in a run's last frames may or may not be read
    fault = chance.randrange(early) if chance.random() < 0.4 else None
    if chance.random() < 0.25:
        script.closes_after, script.abruptly = chance.randrange(early), chance.random() < 0.4
    for frame in range(frames):
        script.pieces[frame] = _random_answer(chance, frame, commands, frame == fault, strict or sparse or latency < 2)
        if sparse and chance.random() < 0.3:  # what comes after the ack answers a frame that was not sent yet
            script.pieces[frame].append(encode(Command("Drive", 2, chance.choice((0.3, 3.0)))))
    return script


def _random_answer(
    chance: random.Random, frame: int, commands: list[tuple[str, int]], faulty: bool, strict: bool
) -> list[bytes]:
    parts = []
    if chance.random() < 0.15:
        parts.append(encode(Timestamp((frame + chance.choice((0, 0, 1, 3))) * STEP)))
    for _ in range(chance.choice((0, 0, 1, 2, 3))):
        name, number = chance.choice(commands)
        parts.append(encode(Command(name, number, chance.choice((0.5, 1.0, 2.0, 0.1)))))
    if chance.random() < 0.02:
        parts.append(encode(Command("Client", 0, chance.choice((0.0, 3.0) if strict else (2.0, 6.0)))))
    if faulty:
        parts.append(chance.choice(_FAULTS)(frame))
    if strict or chance.random() < 0.8 or frame % 2:  # an ack may stand for the one before
        parts.append(encode(Ack(frame * STEP)))
    whole = b"".join(parts)
    cut = chance.randrange(len(whole) + 1) if whole and chance.random() < 0.2 else len(whole)
    return [piece for piece in (whole[:cut], whole[cut:]) if piece]


def run_all(scripts: list[Script], port: int) -> list[threading.Thread]:
    """Starts all clients; join what it returns."""
    threads = [threading.Thread(target=script.run, args=(port,), daemon=True) for script in scripts]
    for thread in threads:
        thread.start()
    return threads
