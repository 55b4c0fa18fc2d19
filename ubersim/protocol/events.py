"""What the two sides say to each other. Each event is one message; only the handshake comes before all messages."""

from __future__ import annotations

from dataclasses import dataclass

from ubersim.protocol.end import End as End
from ubersim.protocol.welcome import Welcome as Welcome


@dataclass(frozen=True, slots=True)
class Handshake:
    """Client: the robot that it brings along."""

    document: bytes
    """The XML document, UTF-8."""


@dataclass(frozen=True, slots=True)
class Error:
    """Server: the last words before it closes the connection; to clients of version 2, before `End`."""

    text: str
    """What was wrong."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """Server: a frame begins. Client: the instant at which the commands after it are sent."""

    time: float
    """Simulation time [s]."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Server: what a sensor has measured."""

    name: str
    """The sensor."""
    payload: bytes
    """Its bytes as the sensor's type defines them; a stamped one's begin with the f64 time of capture [s]."""


@dataclass(frozen=True, slots=True)
class FrameEnd:
    """Server: the frame is complete."""


@dataclass(frozen=True, slots=True)
class Command:
    """Client: sets a property of a joint, a motor, a sensor, a solid, or (name `Client`) of the client itself."""

    name: str
    """The component."""
    number: int
    """Number of the property, see `properties`."""
    value: float
    """Its new value; single precision on the wire."""


@dataclass(frozen=True, slots=True)
class Actuation:
    """Client: bytes for a component that takes payloads of its own; never as many as a property and its value have."""

    name: str
    """The component."""
    payload: bytes
    """Its meaning is up to the component's type."""


@dataclass(frozen=True, slots=True)
class Ack:
    """Client: this frame, and with it all before it, has been processed."""

    time: float
    """Time of the frame [s]."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Client: something for those who watch, beside the simulation; see `drawings`."""

    payload: bytes
    """Name of the drawing, NUL, JSON object."""


FromServer = Welcome | Error | Timestamp | Reading | FrameEnd | End
FromClient = Timestamp | Command | Actuation | Ack | Draw
Event = Handshake | FromServer | FromClient
