"""Which kind of session a client gets: what the server says, and what the welcome says that its document asks for."""

from __future__ import annotations

import socket
from typing import Any

from ubersim.protocol import Welcome
from ubersim.server.loose_session import LooseSession
from ubersim.server.session import CommandedRobot, Session
from ubersim.server.sparse_session import SparseSession
from ubersim.simulation.robot import Robot
from ubersim.timing.sparse_frames import SparseFrames


def open_session(
    connection: socket.socket, robot: CommandedRobot, welcome: Welcome, *, loose: bool = False, **options: Any
) -> Session:
    """A session for a robot that has joined; `options` are those of `Session`."""
    sparse = welcome.timestamps == "readings"
    if loose:
        assert isinstance(robot, Robot)  # one that a log remembers has all the time that its client needs
        session = LooseSession(connection, robot, welcome, **options)
        session.frames = SparseFrames(welcome.step, robot.commands.first) if sparse else None
        return session
    return (SparseSession if sparse else Session)(connection, robot, welcome, **options)
