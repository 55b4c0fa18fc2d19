"""Where a server is: a host and a port, or a host of another transport; and the one way in which they are written."""

from __future__ import annotations

import ipaddress
import socket
from typing import NamedTuple

from ubersim.errors import UberSimError
from ubersim.transport.transports import transport_of

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 9040


class Address(NamedTuple):
    """Host and port; its text is `HOST:PORT`. A host `unix:PATH` has no port, and is the text itself."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        if transport_of(self.host) is not None:
            return self.host
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @staticmethod
    def parse(text: str) -> Address:
        """Reads `HOST:PORT`, `HOST` or `PORT`; an IPv6 host that is followed by a port stands in brackets.

        Or `unix:PATH`, all of which is the host.
        """
        if (transport := transport_of(text)) is not None:
            transport.check(text)
            return Address(text, 0)
        if text.startswith("["):
            host, closed, rest = text[1:].partition("]")
            number = rest.removeprefix(":")
            if not closed or (rest and not number):
                raise _not_an_address(text)
        elif text.count(":") > 1:
            host, number = text, ""
            if _is_ipv6(text.rpartition(":")[0]):
                raise UberSimError(f"{text!r} may be [{text}] or {_in_brackets(text)}: write one of these")
        elif text.isdigit():
            host, number = "", text
        else:
            host, colon, number = text.partition(":")
            if colon and not number:
                raise _not_an_address(text)
        if number and not (number.isascii() and number.isdigit() and int(number) < 2**16):
            raise _not_an_address(text)
        check_host(host or DEFAULT_HOST)
        return Address(host or DEFAULT_HOST, int(number) if number else DEFAULT_PORT)


def check_host(host: str) -> None:
    """Refuses what cannot be the name or the number of a machine, before anything is done with it."""
    if (transport := transport_of(host)) is not None:
        return transport.check(host)
    if ":" in host and not _is_ipv6(host):
        raise UberSimError(f"{host!r} is no host: its port is given by itself, and IPv6 stands without brackets there")
    if not host or any(len(part) > 63 for part in host.split(".")) or not host.isprintable() or {*"/\\ []"} & {*host}:
        raise UberSimError(f"{host!r} is no host: that is a name or a number of a machine, such as 127.0.0.1")


def host_of(connection: socket.socket) -> str:
    """The machine at the other end; empty for a Unix socket, or if it has gone."""
    try:
        peer = connection.getpeername()
    except OSError:
        return ""
    return str(peer[0]) if isinstance(peer, tuple) else ""


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _in_brackets(text: str) -> str:
    host, _, port = text.rpartition(":")
    return f"[{host}]:{port}"


def _not_an_address(text: str) -> UberSimError:
    return UberSimError(f"{text!r} is not HOST:PORT")
