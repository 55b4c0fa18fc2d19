"""Where clients connect to."""

from __future__ import annotations

import os
import socket

from ubersim.errors import UberSimError
from ubersim.transport.address import Address, check_host
from ubersim.transport.transports import transport_of, transport_under

BACKLOG = 128
"""Connections that the kernel keeps until they are accepted."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one, and only TCP has any."""
    check_host(host)
    if (transport := transport_of(host)) is not None:
        return transport.listen(host, BACKLOG)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        # In its own words, Python tells the address once more.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise UberSimError(f"cannot listen on {Address(host, port)}: {reason}") from None


def address_of(listener: socket.socket) -> Address:
    """Where it listens, with the port that it got."""
    if (transport := transport_under(listener)) is not None:
        return Address(transport.host_of(listener), 0)
    host, port = listener.getsockname()[:2]
    return Address(host, port)
