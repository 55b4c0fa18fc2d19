"""The Python client's own mistakes are told where they are made."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.client.requests import RequestConnection
from ubersim.errors import LocalProtocolError, RefusedError, UberSimError
from ubersim.protocol import FrameEnd, Timestamp, Welcome, encode
from ubersim.protocol.supervisor_connection import SupervisorServerEnd
from ubersim.protocol.supervisor_events import RequestDone, RequestFailed
from ubersim.timing.uniform import Uniform


def test_an_unknown_property_is_named_with_near_ones(serve: Callable[..., Any]) -> None:
    serving = serve(5, clients=1)
    with connect(cart(), host="127.0.0.1", port=serving.port) as robot:
        with pytest.raises(LocalProtocolError, match=r"Motor has no property 'Veloc'; did you mean Vel"):
            robot.set("Motor", "Veloc", 1.0)
        with pytest.raises(LocalProtocolError, match=r"'zzz'; known are .*FMax"):
            robot.set("Motor", "zzz", 1.0)
        frames = list(robot)
    assert len(frames) == 5
    assert [sorted(frame) for frame in frames] == [sorted(frame.readings) for frame in frames]


def test_a_program_changes_its_latency_to_a_number_alone(serve: Callable[..., Any]) -> None:
    """As the wire has it; what else people write says where it belongs."""
    serving = serve(2, clients=1)
    with connect(cart(), port=serving.port) as robot:
        for given in (Uniform(3, 4), "20"):
            with pytest.raises(LocalProtocolError, match=r"in milliseconds, not .*; a model is for connect"):
                robot.set_latency(given)  # type: ignore[arg-type]
        with pytest.raises(LocalProtocolError, match="between 0 and 60000 ms, not -1"):
            robot.set_latency(-1)
        robot.set_latency(np.float32(20))  # type: ignore[arg-type]
        assert [frame.time for frame in robot]


def test_who_cannot_think_so_leaves_again(serve: Callable[..., Any]) -> None:
    serving = serve(clients=1)
    with pytest.raises(ValueError, match="between 0 and 60000 ms, not -1") as failure:
        connect(cart(), port=serving.port, think=-1.0)
    until(lambda: not serving.simulation.robots)
    assert failure.tb is not None  # which still has hold of the connection: nobody else has closed it


def test_a_server_that_says_nothing() -> None:
    def hang_up() -> None:
        connection, _ = listener.accept()
        with connection:
            while not connection.recv(1 << 16).endswith(b"\0"):
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(RefusedError, match="closed the connection without a word"):
            connect(cart(), port=listener.getsockname()[1])
        thread.join()


def test_a_server_that_dies_without_having_read_all_is_gone(tmp_path: Path) -> None:
    """Writing fails, and so does reading: the connection was reset, as Unix sockets are then."""

    def die() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1)
            welcome = Welcome.introducing({"name": "Cart"}, step=0.001, frame=0)
            connection.sendall(encode(welcome) + encode(Timestamp(0.0)) + encode(FrameEnd()))

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "server"))
        listener.listen()
        thread = threading.Thread(target=die)
        thread.start()
        with connect(cart(), f"unix:{tmp_path}/server") as robot:
            thread.join()
            assert [frame.time for frame in robot] == [0.0]


def test_what_came_with_the_failure_of_an_earlier_request_is_not_lost() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        server = SupervisorServerEnd()
        welcome = Welcome.introducing({"name": "supervisor"}, step=0.001, frame=0)
        theirs.sendall(server.send(welcome))
        connection = RequestConnection(ours, "supervisor", None)
        assert connection.ask("Push", 5, {}) == {}
        answers = RequestFailed(1, 5, "there is no Ball"), RequestDone(2, 6, {"first": 1}), RequestDone(3, 7, {})
        theirs.sendall(b"".join(server.send(answer) for answer in answers))
        with pytest.raises(UberSimError, match="there is no Ball"):
            connection.ask("Pause", None, {})
        assert (connection.ask("Step", None, {}), connection.frame) == ({}, 7)
