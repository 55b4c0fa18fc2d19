"""Unix sockets: a server at a path of the file system, for programs of the same user on the same machine.

A host that is written `unix:PATH` means one. The file is there as long as the server is; what a server that was killed
has left behind is replaced by the next one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import threading
from pathlib import Path

from ubersim.errors import UberSimError

PREFIX = "unix:"
LONGEST_PATH = 107
"""What the operating system takes [bytes]."""
_OWNER_ONLY = 0o177
_umask = threading.Lock()  # it belongs to the whole process


class _Listener(socket.socket):
    """Its file goes when it is closed."""

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if path := self.getsockname():
                Path(path).unlink()
        super().close()


class UnixSocket:
    """The transport; see `transports.Transport`."""

    prefix = PREFIX
    stays_here = True

    def check(self, host: str) -> None:
        """Refuses what cannot be the path of a socket."""
        _path_of(host)

    def connect(self, host: str) -> socket.socket:
        """A connection to the server at a path."""
        return _connect_to(_path_of(host))

    def listen(self, host: str, backlog: int) -> socket.socket:
        """A listening socket that the same user alone can reach, in place of one that a dead server has left."""
        return _listen_at(_path_of(host), backlog)

    def carries(self, connection: socket.socket) -> bool:
        """Whether it is a Unix socket, which has none of the settings of TCP and loses no bytes."""
        return connection.family == socket.AF_UNIX

    def host_of(self, listener: socket.socket) -> str:
        """Its path, with the prefix."""
        return f"{PREFIX}{listener.getsockname()}"


def _path_of(host: str) -> str:
    path = host.removeprefix(PREFIX)
    if not path or "\0" in path:
        raise UberSimError(f"{host!r} is no Unix socket: unix: is followed by the path of a file, as in unix:/tmp/sim")
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise UberSimError(f"the path of {host[:80]}... is longer than the {LONGEST_PATH} bytes that a socket can have")
    return path


def _connect_to(path: str) -> socket.socket:
    """Where there is no file, it is refused as by a port without a server."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(path)
    except FileNotFoundError:
        connection.close()
        raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED)) from None
    except OSError:
        connection.close()
        raise
    return connection


def _listen_at(path: str, backlog: int) -> socket.socket:
    _remove_stale(path)
    listener = _Listener(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _umask:
            before = os.umask(_OWNER_ONLY)
            try:
                listener.bind(path)
            finally:
                os.umask(before)
        listener.listen(backlog)
    except OSError as error:
        listener.close()
        raise UberSimError(f"cannot listen on {PREFIX}{path}: {error.strerror}") from None
    return listener


def _remove_stale(path: str) -> None:
    """Takes away the file of a server that is no more; anything else stays, and is an error."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:  # nothing is there; or binding says what is wrong
        return
    if not stat.S_ISSOCK(mode):
        raise UberSimError(f"cannot listen on {PREFIX}{path}: there is a file of that name that is no socket")
    try:
        _connect_to(path).close()
    except ConnectionRefusedError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
    except OSError as error:
        raise UberSimError(f"cannot listen on {PREFIX}{path}: {error.strerror}") from None
    else:
        raise UberSimError(f"cannot listen on {PREFIX}{path}: another server does")
