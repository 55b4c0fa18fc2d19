"""Events <-> bytes: no sockets, no threads, no clock."""

from ubersim.protocol.connection import (
    MAX_DOCUMENT,
    MAX_FROM_CLIENT,
    MAX_FROM_SERVER,
    ClientConnection,
    ServerConnection,
)
from ubersim.protocol.events import (
    Ack,
    Actuation,
    Command,
    End,
    Error,
    Event,
    FrameEnd,
    FromClient,
    FromServer,
    Handshake,
    Reading,
    Timestamp,
)
from ubersim.protocol.messages import Components, decode_from_client, decode_from_server, encode
from ubersim.protocol.names import RESERVED_NAMES
from ubersim.protocol.welcome import VERSION, Welcome

__all__ = [
    "MAX_DOCUMENT",
    "MAX_FROM_CLIENT",
    "MAX_FROM_SERVER",
    "RESERVED_NAMES",
    "VERSION",
    "Ack",
    "Actuation",
    "ClientConnection",
    "Command",
    "Components",
    "End",
    "Error",
    "Event",
    "FrameEnd",
    "FromClient",
    "FromServer",
    "Handshake",
    "Reading",
    "ServerConnection",
    "Timestamp",
    "Welcome",
    "decode_from_client",
    "decode_from_server",
    "encode",
]
