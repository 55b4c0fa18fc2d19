"""A program that waits for itself: its new robot waits for the world, which waits for another robot of the same thread.

In lockstep the world goes on when every robot has answered, and a robot joins when it goes on. So a thread that
brings a second robot before it has answered for the first waits for ever, and nothing else would tell it why.
"""

from __future__ import annotations

import select
import socket
import threading
import warnings
import weakref
from typing import Protocol

PATIENCE = 2.0
"""How long a new robot waits before the program is told [s]."""


class Holder(Protocol):
    """A robot of this program that may hold up the world."""

    name: str

    @property
    def holds(self) -> tuple[str, ...]:
        """The server that waits for an answer to a frame that the program has; empty if none does."""


class _Robots(threading.local):
    """Those that a thread has brought."""

    def __init__(self) -> None:
        self.brought: weakref.WeakSet[Holder] = weakref.WeakSet()


_robots = _Robots()


def brought(robot: Holder) -> None:
    """This thread has one more robot."""
    _robots.brought.add(robot)


def wait_for_welcome(connection: socket.socket) -> None:
    """Waits until the server answers; warns if it cannot, because it waits for another robot of this thread."""
    poll = select.poll()  # not `select`, which knows 1024 connections only
    poll.register(connection, select.POLLIN)
    if poll.poll(1000 * PATIENCE):
        return
    server = peer(connection)
    if holders := sorted(robot.name for robot in _robots.brought if robot.holds == server):
        names = " and ".join(holders)
        warnings.warn(
            f"the new robot waits for the world to go on, and the world for {names}, which this thread has brought "
            "and does not answer for meanwhile: give each robot a thread or a process of its own, or make it loose",
            RuntimeWarning,
            stacklevel=6,
        )


def peer(connection: socket.socket) -> tuple[str, ...]:
    """The server at the other end; empty if the connection is closed."""
    try:
        address = connection.getpeername()
    except OSError:
        return ()
    return (address,) if isinstance(address, str) else tuple(map(str, address))
