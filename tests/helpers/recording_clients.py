"""A client program, and the same program from a log."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import numpy as np

from tests.helpers.documents import vector
from ubersim.client import connect
from ubersim.errors import RefusedError
from ubersim.recording import Log
from ubersim.server import ReplayOutcome, serve_log

EYE = f'<CameraSensor name="Eye">{vector("Position", 0, 0.3, 0.2)}<Fov>60</Fov><Width>8</Width><Height>6</Height>'
EYE += "<Frequency>20</Frequency><Stamped>true</Stamped></CameraSensor>"


def client(document: str, port: int, mistake: int | None = None, name: str = "Car") -> list[object]:
    """Drives by what it reads; after `mistake` frames otherwise. Returns what it has read, and why it had to go."""
    read: list[object] = []
    with connect(document, port=port, name=name) as robot:
        try:
            for frame in robot:
                read.append((frame.time, {key: np.asarray(value).tolist() for key, value in frame.readings.items()}))
                if "Tilt" in frame:
                    robot.set("LMotor", "Vel", 5.0 + 20 * float(frame["Tilt"]))
                    if mistake is None or len(read) <= mistake:
                        robot.set("RMotor", "Vel", 4.0)
                if len(read) == 600:
                    robot.set_latency(6.0)
        except RefusedError as error:
            read.append(str(error))
    return read


def from_log(path: Path, document: str, mistake: int | None = None) -> tuple[ReplayOutcome, list[object], list[str]]:
    """The same client, from the log."""
    notes: list[str] = []
    outcomes: list[ReplayOutcome] = []
    with Log(path) as log, socket.create_server(("127.0.0.1", 0)) as listener:
        answer = lambda: outcomes.append(serve_log(log, "Car", listener, notes.append))  # noqa: E731
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        read = client(document, listener.getsockname()[1], mistake)
        thread.join()
    return outcomes[0], read, notes
