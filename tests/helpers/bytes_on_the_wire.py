"""What goes over the wire, as bytes: messages by hand, and all that a client is sent."""

from __future__ import annotations

import socket
import struct

from tests.helpers.serving import Serving


def message(name: bytes, payload: bytes = b"") -> bytes:
    """As the contract has it, without the package's own code."""
    return struct.pack("<I", len(name) + 1 + len(payload)) + name + b"\0" + payload


def stream_of(serving: Serving, document: str, answers: bytes) -> bytes:
    """All that the server sends to a client that says all of this at once, as soon as it may."""
    with socket.create_connection(("127.0.0.1", serving.port)) as client:
        client.settimeout(60)
        client.sendall(document.encode() + b"\0")
        data = client.recv(1 << 16)
        client.sendall(answers)
        while piece := client.recv(1 << 16):
            data += piece
    return data
