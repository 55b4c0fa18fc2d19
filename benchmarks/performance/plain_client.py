"""A robot's program as a stranger writes it, from the protocol's page alone: the standard library, a blocking `recv`.

    python benchmarks/performance/plain_client.py PORT DOCUMENT

It reads the tilt of every frame, answers with two commands and an ack, and knows nothing of this project.
"""

from __future__ import annotations

import socket
import struct
import sys


def message(name: str, payload: bytes) -> bytes:
    """Length, name, NUL, payload."""
    body = name.encode() + b"\0" + payload
    return struct.pack("<I", len(body)) + body


def main() -> None:
    """Until the server closes the connection."""
    with open(sys.argv[2], "rb") as file:
        document = file.read()
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(document + b"\0")
    data, tilt, time = b"", 0.0, b""
    while received := connection.recv(65536):
        data += received
        start = 0
        while len(data) - start >= 4:
            (length,) = struct.unpack_from("<I", data, start)
            end = start + 4 + length
            if len(data) < end:
                break
            name, _, payload = data[start + 4 : end].partition(b"\0")
            start = end
            if name == b"Timestamp":
                time = payload
            elif name == b"Tilt":
                (tilt,) = struct.unpack("<f", payload)
            elif name == b"FrameEnd":
                speed = struct.pack("<If", 2, 5.0 * tilt)
                connection.sendall(message("LMotor", speed) + message("RMotor", speed) + message("Ack", time))
        data = data[start:]


if __name__ == "__main__":
    main()
