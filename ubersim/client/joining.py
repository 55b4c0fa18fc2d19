"""What a robot program imports: bring a robot to a server, then live frame by frame.

In a program:

    import ubersim

    with ubersim.connect("robots/segway.xml") as robot:
        for frame in robot:                        # a frame is acknowledged when the next one is asked for
            if "Tilt" in frame:
                robot.set("LMotor", "Vel", 12.0 * frame["Tilt"])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ubersim.client.documents import given_document
from ubersim.client.robot import RemoteRobot
from ubersim.errors import RefusedError
from ubersim.protocol.document_settings import Timestamps, with_settings
from ubersim.protocol.shared_texts import shortened
from ubersim.timing.latency import LatencyModel
from ubersim.timing.think_time import Think
from ubersim.transport.connect import open_connection


def connect(
    robot: str | Path,
    host: str = "127.0.0.1",
    port: int = 9040,
    *,
    name: str | None = None,
    latency: float | str | LatencyModel | None = None,
    position: tuple[float, float, float] | None = None,
    heading: float = 0.0,
    token: str | None = None,
    protocol: int | None = None,
    loose: bool | None = None,
    sensors: Sequence[str] | None = None,
    timestamps: Timestamps | None = None,
    think: Think = 0.0,
    hz: float | None = None,
    overlap: bool = False,
    wait: float = 0.0,
) -> RemoteRobot:
    """Brings a robot to a server, and waits until it is in the world: given as an XML file, as the document itself, or
    by the name of one that comes along, such as `segway`. `wait`: how long a server may take to start [s].

    The keywords replace what the document says: its name, its latency ([ms], a model, or its
    element's text), where it spawns [m, degrees], the token,
    the version of the protocol, and whether the world does not wait for it (`loose`). With `sensors` only these measure
    and send (`[]`: none); with `timestamps="readings"` only frames with readings come, and one per second (both:
    version 2).
    `think`, `hz` and `overlap` are as in `RemoteRobot.think`.
    """
    document = with_settings(
        given_document(robot),
        name=name,
        latency=latency,
        position=position,
        heading=heading,
        token=token,
        protocol=protocol,
        loose=loose,
        sensors=sensors,
        timestamps=timestamps,
    )
    arrive = partial(_arrived, host=host, port=port, wait=wait)
    remote = _with_known_texts(document, arrive) or arrive(document)
    try:
        if think != 0.0 or hz is not None:
            remote.think(think, hz=hz, overlap=overlap)
        return remote
    except BaseException:
        remote.close()
        raise


def _arrived(document: str, host: str, port: int, wait: float) -> RemoteRobot:
    """The robot of a document, in the world."""
    connection = open_connection(host, port, wait)
    try:
        return RemoteRobot(connection, document)
    except BaseException:
        connection.close()
        raise


def _with_known_texts(document: str, arrive: Callable[[str], RemoteRobot]) -> RemoteRobot | None:
    """The same, if the server has seen its meshes before, so that hashes will do; None: it needs the whole."""
    short = shortened(document)
    if short is document:
        return None
    try:
        return arrive(short)
    except RefusedError as refused:
        if "hash" not in str(refused):  # it does not know this one, or none at all
            raise
        return None
