"""A gateway for programs in browsers: WebSockets whose bytes go to the server as they are, and files to load.

What goes through is the protocol's stream; where it is cut into WebSocket messages means nothing. A page of another
site that is open in the same browser cannot come in: the gateway looks at `Host` and `Origin`.
"""

from __future__ import annotations

import contextlib
import errno
import http
import logging
import mimetypes
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ubersim.errors import UberSimError
from ubersim.transport.address import Address
from ubersim.transport.connect import open_connection

try:
    from websockets.datastructures import Headers
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request, Response
    from websockets.sync.server import Server as WebSocketServer
    from websockets.sync.server import ServerConnection, serve
except ImportError:
    raise UberSimError("a gateway for browsers needs websockets: pip install 'ubersim[web]'") from None

LONGEST_MESSAGE = 2**18
"""Of a browser [bytes], so that all of them together cannot fill the memory; a long document comes in pieces."""
_MOST_WAITING = 1
"""Frames of a browser that wait until the server takes them; then no more are read from it."""
MOST_THREADS = 256
"""Of the process: two or three are a browser's, and one that would need more is sent away."""
_BUFFER = 1 << 18
_PAUSE = 0.05
"""Before it is tried again to accept a connection where there was no room for it [s]."""
_LOCAL = ("127.0.0.1", "localhost", "[::1]")

_SILENT = logging.getLogger("ubersim.web_gateway")
"""What strangers say at the gateway is no reason to show stacks of calls."""
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False

Find = Callable[[str], Path | None]
"""The file for a path of the address, if there is one."""


class _PatientListener(socket.socket):
    """Goes on where there are no descriptors left, for a while, or too many connections: the gateway stays open."""

    def accept(self) -> tuple[socket.socket, Any]:
        while True:
            try:
                connection, address = super().accept()
            except OSError as error:
                if error.errno == errno.EBADF:  # it was closed
                    raise
                time.sleep(_PAUSE)
                continue
            if threading.active_count() < MOST_THREADS:
                return connection, address
            connection.close()


class WebGateway:
    """Threads of its own, from its making to `close`."""

    def __init__(self, address: Address, port: int, find: Find = lambda _: None) -> None:
        """To the server at that address; `find` has files that browsers may load."""
        self._address = address
        self._find = find
        listener = _PatientListener()
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))
            listener.listen()
            self._server: WebSocketServer = serve(
                self._hand_on,
                sock=listener,
                process_request=self._answer,
                compression=None,
                max_size=LONGEST_MESSAGE,
                max_queue=_MOST_WAITING,
                ping_interval=None,
                logger=_SILENT,
            )
        except OSError as error:
            listener.close()
            raise UberSimError(f"cannot listen on {Address('127.0.0.1', port)}: {error.strerror}") from None
        self.port: int = self._server.socket.getsockname()[1]
        """Where browsers connect to."""
        self._thread = threading.Thread(target=self._server.serve_forever, name="web gateway", daemon=True)
        self._thread.start()

    def __enter__(self) -> WebGateway:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nobody comes in any more; what is on its way to browsers still arrives."""
        self._server.shutdown()
        self._thread.join()

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Files for browsers; None for what wants to become a WebSocket."""
        if _machine(request.headers.get("Host", "")) not in _LOCAL or not _is_own(request.headers.get("Origin")):
            return connection.respond(http.HTTPStatus.FORBIDDEN, "this gateway is for pages of this machine\n")
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return None
        file = self._find(unquote(urlsplit(request.path).path).lstrip("/"))
        if file is None:
            return connection.respond(http.HTTPStatus.NOT_FOUND, f"there is no {request.path[:200]}\n")
        body, kind = file.read_bytes(), mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        headers = Headers({"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"})
        return Response(http.HTTPStatus.OK.value, "OK", headers, body)

    def _hand_on(self, browser: ServerConnection) -> None:
        """Both directions, until one side closes."""
        with contextlib.suppress(OSError), open_connection(*self._address) as server:
            threading.Thread(target=_from_browser, args=(browser, server), daemon=True).start()
            with contextlib.suppress(ConnectionClosed):
                while data := server.recv(_BUFFER):
                    browser.send(data)
        browser.close()


def _from_browser(browser: ServerConnection, server: socket.socket) -> None:
    """What a browser sends, piece by piece; when it has gone, the server is told that nothing more comes."""
    with contextlib.suppress(OSError):
        with contextlib.suppress(ConnectionClosed):
            while True:
                for piece in browser.recv_streaming():  # not whole messages: one of endless empty pieces has no size
                    server.sendall(piece.encode() if isinstance(piece, str) else piece)
        server.shutdown(socket.SHUT_WR)


def _machine(host: str) -> str:
    """Without the port."""
    return host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host


def _is_own(origin: str | None) -> bool:
    """Whether a page of this machine asks, or a program that is no browser."""
    return origin is None or _machine(urlsplit(origin).netloc) in _LOCAL
