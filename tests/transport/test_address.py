"""Addresses as people write them, and where a socket listens."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from ubersim.errors import UberSimError
from ubersim.transport.address import Address, host_of
from ubersim.transport.connect import open_connection
from ubersim.transport.listen import address_of, listen
from ubersim.transport.token import LONGEST_TOKEN, token_in


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("robots.example:80", Address("robots.example", 80)),
        ("robots.example", Address("robots.example", 9040)),
        ("80", Address("127.0.0.1", 80)),
        (":80", Address("127.0.0.1", 80)),
        ("[::1]:80", Address("::1", 80)),
        ("[::1]", Address("::1", 9040)),
        ("::1", Address("::1", 9040)),
        ("", Address()),
    ],
)
def test_address(text: str, address: Address) -> None:
    assert Address.parse(text) == address
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize("text", ["host:", "host:port", "host:70000", "host:-1", "[::1", "[::1]:", "[::1]x", "host:²"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UberSimError, match="is not HOST:PORT"):
        Address.parse(text)


@pytest.mark.parametrize("text", ["::1:9040", "fe80::1:2"])
def test_a_port_or_the_end_of_the_host(text: str) -> None:
    """Both are meant by some: the choice is shown."""
    host, _, port = text.rpartition(":")
    with pytest.raises(UberSimError, match=re.escape(f"[{text}] or [{host}]:{port}")):
        Address.parse(text)
    assert Address.parse(f"[{text}]") == Address(text, 9040)
    assert Address.parse(f"[{host}]:{port}") == Address(host, int(port))


@pytest.mark.parametrize(
    "host", ["", "/tmp/socket", "./here", "[::1]", "127.0.0.1:9040", "a b", "a\n", "x" * 64 + ".example", "C:\\x"]
)
def test_what_is_no_host(host: str) -> None:
    for use in (listen, open_connection):
        with pytest.raises(UberSimError, match="is no host"):
            use(host, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_listen_and_connect(host: str) -> None:
    with listen(host, 0) as listener:
        address = address_of(listener)
        assert address.host == host
        with open_connection(*address) as connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        with pytest.raises(UberSimError, match=r"^cannot listen on \S+: Address already in use$"):
            listen(*address)
    with pytest.raises(ConnectionRefusedError, match="`ubersim serve` starts one"):
        open_connection(*address)


def test_a_host_that_nobody_knows_is_named() -> None:
    with pytest.raises(socket.gaierror, match=r"no machine is called 'nosuch\.invalid'"):
        open_connection("nosuch.invalid", 9040)


def test_token(tmp_path: Path) -> None:
    file = tmp_path / "token"
    with pytest.raises(UberSimError, match="cannot read the token"):
        token_in(file)
    for content in (b"", b" \n", b"\xff", b"x" * (LONGEST_TOKEN + 1)):
        file.write_bytes(content)
        with pytest.raises(UberSimError, match="holds no token"):
            token_in(file)
    file.write_text(" secret\n")
    assert token_in(file) == "secret"


def test_a_connection_that_has_gone_has_no_machine_at_its_other_end() -> None:
    with socket.socket() as never_connected:
        assert host_of(never_connected) == ""
