"""What waits for a supervisor has limits, and so have those who come and what programs declare."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from ubersim.errors import RemoteProtocolError
from ubersim.protocol.drawings import drawing
from ubersim.protocol.log_entries import log_entry
from ubersim.protocol.parameters import Declaration
from ubersim.protocol.supervisor_events import ForwardedLog
from ubersim.server.outbox import MOST_DRAWINGS, MOST_LOGGED, Outbox
from ubersim.server.supervisor_document import read_supervisor
from ubersim.simulation.parameters import MOST_PARAMETERS, RobotParameters


@pytest.fixture
def outbox() -> Iterator[Outbox]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Outbox(ours)


def test_drawings_of_as_many_names_wait(outbox: Outbox) -> None:
    for number in range(MOST_DRAWINGS):
        assert outbox.keep_drawing("Cart", drawing(f"mark {number}").payload)
    assert not outbox.keep_drawing("Cart", drawing("one more").payload)
    assert outbox.keep_drawing("Cart", drawing("mark 7").payload), "a newer one of a name takes the place of the older"


def test_of_logs_the_oldest_goes(outbox: Outbox) -> None:
    entry = log_entry("state", "x" * 60_000)
    for number in range(200):
        outbox.keep_log(ForwardedLog("Cart", float(number), entry))
    assert MOST_LOGGED - 70_000 < outbox._logged <= MOST_LOGGED
    assert sum(map(len, outbox._logs)) == outbox._logged


def test_a_supervisors_document_is_short() -> None:
    with pytest.raises(RemoteProtocolError, match="with Name and Token, and nothing else"):
        read_supervisor(b"<Supervisor><CSettings><Name>A</Name><Latency>3</Latency></CSettings></Supervisor>")


def test_parameters_of_a_program_have_a_number() -> None:
    parameters = RobotParameters()
    for number in range(MOST_PARAMETERS):
        parameters.declare(Declaration(f"p{number}", "number", 0.0))
    with pytest.raises(RemoteProtocolError, match=f"a program may declare {MOST_PARAMETERS} parameters"):
        parameters.declare(Declaration("one more", "number", 0.0))
    parameters.declare(Declaration("p0", "number", 1.0))
    assert parameters.values["p0"] == 1.0
