"""Networks that fail."""

from __future__ import annotations

import ctypes
import socket
import struct

import pytest

from tests.helpers.raw_client import RawClient
from ubersim.protocol import Ack
from ubersim.transport import connect as connections

_SO_ATTACH_FILTER = 26


def cut_cable(connection: socket.socket) -> None:
    """Nothing that comes to it gets past a filter that drops everything, so that nothing is acknowledged either."""
    drop_all = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))  # BPF_RET of 0 bytes
    program = struct.pack("HL", 1, ctypes.addressof(drop_all))
    connection.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def become_unreachable(client: RawClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine of a client is gone after its first frame: the next one is on its way for ever."""
    client.welcome()
    frame = client.frame()
    assert frame is not None
    monkeypatch.setattr(connections, "UNREACHABLE", 0.3)
    cut_cable(client.socket)
    client.send(Ack(frame[0]))
