"""A server at a path: who finds it, what is left behind, and what is refused."""

from __future__ import annotations

import io
import os
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from tests.helpers.c_client import build_segway
from tests.helpers.serving import Serving
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.control.balancer import Balancer
from ubersim.description import shipped
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.transport.address import Address, host_of
from ubersim.transport.connect import open_connection
from ubersim.transport.listen import address_of, listen
from ubersim.transport.unix_socket import LONGEST_PATH


def test_listen_and_connect(tmp_path: Path) -> None:
    host = f"unix:{tmp_path}/here"
    with listen(host, 9040) as listener:
        address = address_of(listener)
        assert (str(address), Address.parse(host)) == (host, address)
        assert stat.S_IMODE(os.lstat(tmp_path / "here").st_mode) == 0o600
        with open_connection(*address) as connection:
            assert host_of(connection) == ""
        with pytest.raises(UberSimError, match="another server does"):
            listen(host, 0)
    assert not (tmp_path / "here").exists()
    with pytest.raises(ConnectionRefusedError, match=f"no server at {host}; `ubersim serve` starts one"):
        open_connection(host, 0)


def test_what_a_dead_server_left_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "stale"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    assert path.is_socket()
    with listen(f"unix:{path}", 0):
        open_connection(f"unix:{path}", 0).close()


def test_what_is_no_socket_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UberSimError, match="there is a file of that name that is no socket"):
        listen(f"unix:{tmp_path}/file", 0)
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(UberSimError, match="cannot listen on unix:/no/such/folder/x: No such file"):
        listen("unix:/no/such/folder/x", 0)


@pytest.mark.parametrize(("path", "reason"), [("", "is no Unix socket"), ("x" * (LONGEST_PATH + 1), "is longer than")])
def test_what_is_no_path(path: str, reason: str) -> None:
    for use in (lambda host: listen(host, 0), lambda host: open_connection(host, 0), Address.parse):
        with pytest.raises(UberSimError, match=reason):
            use(f"unix:{path}")


def test_clients_and_supervisors_get_the_same_bits(tmp_path: Path) -> None:
    segway = build_segway(tmp_path)
    states = []
    for host in (f"unix:{tmp_path}/sim", "127.0.0.1"):
        digests = io.StringIO()
        serving = Serving(Simulation(), 60, host=host, clients=2, digest=digests)
        where = serving.server.address
        command = [str(segway), where.host, str(where.port), str(shipped("robots/segway.xml")), "0"]
        with (
            supervise(*where) as world,
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program,
            connect("segway", *where, name="Other", position=(2, 0, 0)) as robot,
        ):
            world.event("here")
            balancer = Balancer()
            for frame in robot:
                if "Tilt" in frame:
                    robot.set("LMotor", "Vel", balancer.update(float(frame["Tilt"])))
            assert program.stdout is not None
            assert program.stdout.read().startswith("60 frames")
        serving.result()
        states.append(digests.getvalue())
    assert states[0] == states[1]


def test_a_socket_of_another_kind_stays(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(tmp_path / "other"))
        with pytest.raises(UberSimError, match=f"cannot listen on unix:{tmp_path}/other: Protocol wrong type"):
            listen(f"unix:{tmp_path}/other", 0)
        assert (tmp_path / "other").is_socket()
