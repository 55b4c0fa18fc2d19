"""A client in plain sockets that does one thing wrong: bad_client.py HOST PORT FLAW DOCUMENT."""

import os
import signal
import socket
import struct
import sys
import time
from pathlib import Path

HOST, PORT, FLAW, DOCUMENT = sys.argv[1:]


def message(name: str, payload: bytes) -> bytes:
    body = name.encode() + b"\0" + payload
    return struct.pack("<I", len(body)) + body


def receive(size: int) -> bytes:
    global pieces
    data = b""
    while len(data) < size:
        piece = robot.recv(size - len(data))
        pieces += 1
        if not piece:
            if FLAW == "dies when the run ends":
                os.kill(os.getpid(), signal.SIGKILL)
            if FLAW == "goes on when the run ends":
                time.sleep(60)
            sys.exit("the stream ended" if data else 1 if FLAW == "fails when the run ends" else 0)
        if FLAW == "takes a piece for the whole":
            return piece
        data += piece
    return data


if FLAW == "does not come":
    sys.exit(3)
robot = socket.create_connection((HOST, int(PORT)))
document = Path(DOCUMENT).read_text()
if FLAW == "brings no robot":
    document = "<Client/>"
early = message("Motor", b"") if FLAW == "speaks before it is welcome" else b""
robot.sendall(document.encode() + (b"" if "its document" in FLAW else b"\0") + early)
if FLAW == "leaves before its document is complete":
    sys.exit()
count, sensed, pieces, begun = 0, False, 0, b""
while True:
    (length,) = struct.unpack("<I", receive(4).ljust(4, b"\0"))
    name, _, payload = receive(length).partition(b"\0")
    if name == b"Error" and FLAW != "does not mind an Error":
        sys.exit(payload.decode() if FLAW != "is silent about an Error" else 1)
    if name == b"Timestamp":
        now, sensed = payload, False
    elif name == b"Tilt":
        sensed = True
    elif name == b"FrameEnd":
        count += 1
        value = time.time() % 100 if FLAW == "goes by the clock" else count % 7
        if FLAW == "counts the pieces":
            value = pieces % 100
        if FLAW == "leaves earlier in its second run" and count == 50:
            before = Path(DOCUMENT).with_suffix(".ran")
            if before.exists():
                sys.exit()
            before.touch()
        answer = message("Motor", struct.pack("<If", 2, value))
        if FLAW == "commands what there is not":
            answer += message("Mtor", struct.pack("<If", 2, 1.0))
        if FLAW == "commands what there is not, but late" and count == 50:
            answer += message("Mtor", struct.pack("<If", 2, 1.0))
        if FLAW == "takes back what there is not":
            answer += message("Cancel", b"Mtor\0" + struct.pack("<d", 0.0))
        if FLAW == "commands what cannot be":
            answer += message("Motor", struct.pack("<If", 3, -1.0))
        if FLAW == "wants every sensor in every frame" and count > 2 and not sensed:
            sys.exit("no tilt")
        if FLAW == "acks what it has not got":
            now = struct.pack("<d", 9.0)
        if FLAW == "acks no frame's time":
            now = struct.pack("<d", 0.0004)
        if FLAW != "acks nothing":
            answer += message("Ack", now)
            more = answer[:5] if FLAW == "leaves in the midst of a message" else b""
            robot.sendall(answer[len(begun) :] + more)
            begun = more
