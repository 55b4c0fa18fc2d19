"""Where a server is: a host and a port, and the one way in which they are written."""

from __future__ import annotations

import socket
from typing import NamedTuple

from ubersim.errors import UberSimError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 9040


class Address(NamedTuple):
    """Host and port; its text is `HOST:PORT`."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @staticmethod
    def parse(text: str) -> Address:
        """Reads `HOST:PORT`, `HOST` or `PORT`; an IPv6 host that is followed by a port stands in brackets."""
        if text.startswith("["):
            host, closed, rest = text[1:].partition("]")
            number = rest.removeprefix(":")
            if not closed or (rest and not number):
                raise _not_an_address(text)
        elif text.count(":") > 1:
            host, number = text, ""
        elif text.isdigit():
            host, number = "", text
        else:
            host, colon, number = text.partition(":")
            if colon and not number:
                raise _not_an_address(text)
        if number and not (number.isascii() and number.isdigit() and int(number) < 2**16):
            raise _not_an_address(text)
        return Address(host or DEFAULT_HOST, int(number) if number else DEFAULT_PORT)


def host_of(connection: socket.socket) -> str:
    """The machine at the other end; empty for a Unix socket, or if it has gone."""
    try:
        peer = connection.getpeername()
    except OSError:
        return ""
    return str(peer[0]) if isinstance(peer, tuple) else ""


def _not_an_address(text: str) -> UberSimError:
    return UberSimError(f"{text!r} is not HOST:PORT")
