"""What programs of version 2 say: it costs them at most their robot, and neither the server nor its memory or time."""

from __future__ import annotations

import struct
import time

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from tests.robustness.good_client import GoodClient
from tests.robustness.programs import document, message, session_of
from tests.robustness.test_faults import undisturbed
from ubersim.cli.server_status import print_note
from ubersim.errors import UberSimError
from ubersim.server.loose_session import LooseSession
from ubersim.simulation import Simulation
from ubersim.simulation.parameters import MOST_NEWS
from ubersim.simulation.program_logs import ProgramLogs
from ubersim.timing.lockstep import MAX_COMMANDS

HUGE = b"1" + b"0" * 400
"""A whole number that no float holds."""


@pytest.mark.parametrize("key", [b"value", b"low", b"high"])
def test_numbers_beyond_all_floats_are_refused(key: bytes) -> None:
    payload = b'{"name": "a", "kind": "number", "value": 1, "' + key + b'": ' + HUGE + b"}"
    with Simulation() as simulation, session_of(simulation) as session:
        session.take(message("Declare", payload))
        assert session.gone is not None and "Declare" in session.gone


def test_what_nobody_thought_of_costs_that_client_alone() -> None:
    serving = Serving(Simulation(), None, clients=1)
    good = GoodClient(serving.port)
    bad = RawClient(serving.port, document("Bad", x=50.0))
    bad.welcome()
    bad.socket.sendall(message("Declare", b'{"name": "a", "kind": "number", "value": ' + HUGE + b"}"))
    assert "Declare" in bad.error()
    serving.server.stop()
    serving.result()
    count, told = good.result()
    assert (count, told) == undisturbed(count)


def test_an_error_of_a_components_own_stays_with_its_client(monkeypatch: pytest.MonkeyPatch) -> None:
    with Simulation() as simulation, session_of(simulation) as session:

        def fails(*_: object) -> None:
            raise ZeroDivisionError("something of another package")

        monkeypatch.setattr(session.robot, "check", fails)
        session.take(message("Arm", struct.pack("<If", 2, 1.0)))
        assert session.gone is not None and "ZeroDivisionError" in session.gone


def test_parts_of_entries_that_never_end_have_a_budget() -> None:
    with Simulation() as simulation, session_of(simulation) as session:
        for frame in range(200):
            session.robot.commands.ack(frame)
            session.take(message("Log", b"part%d\0\x82" % frame + bytes(50_000)))
        logs = session._logs
        assert isinstance(logs, ProgramLogs)
        assert session.gone is None and logs.held("R") <= 2**20


def test_what_was_begun_is_forgotten_when_the_program_leaves() -> None:
    serving = Serving(Simulation(), None, clients=1)
    first = RawClient(serving.port, document(latency=0))
    first.welcome()
    assert first.frame() is not None
    first.socket.sendall(message("Log", b"a\0\x82" + bytes(80)) + message("Ack", struct.pack("<d", 0.0)))
    assert first.frame() is not None
    logs = serving.server._admission._logs
    assert isinstance(logs, ProgramLogs) and logs.held("R") == 80
    first.close()
    second = RawClient(serving.port, document("Other", x=5.0))
    second.welcome()
    while "R" in serving.simulation.robots:
        frame = second.frame()
        assert frame is not None
        second.socket.sendall(message("Ack", struct.pack("<d", frame[0])))
    until(lambda: logs.held("R") == 0)  # right after it has left
    second.close()
    serving.server.stop()
    serving.result()


def test_cancellations_take_no_longer_than_they_may() -> None:
    with Simulation() as simulation, session_of(simulation, latency=1000) as session:
        session.take(message("Arm", struct.pack("<If", 2, 1.0)) * (MAX_COMMANDS - 1))
        assert session.gone is None
        began = time.thread_time()
        session.take(message("Cancel", b"Tilt\0" + struct.pack("<d", 0.0)) * 3000)
        assert session.gone is not None and "cancel" in session.gone
        assert time.thread_time() - began < 10.0  # it was half a minute for a tenth of these


def test_cancelling_what_little_there_is_has_no_end() -> None:
    with Simulation() as simulation, session_of(simulation, latency=10) as session:
        for frame in range(30):
            session.queue(frame, b"", b"")
            session.take(message("Arm", struct.pack("<If", 2, 1.0)) * 10)
            session.take(message("Cancel", b"Arm\0" + struct.pack("<d", 0.0)) * 500)
            session.take(message("Ack", struct.pack("<d", 0.001 * frame)))
        assert session.gone is None


def test_a_loose_client_that_is_behind_hears_of_its_parameters_later() -> None:
    with Simulation() as simulation, session_of(simulation, kind=LooseSession) as session:
        session.take(message("Declare", b'{"name": "on", "kind": "bool", "value": false}'))
        assert not session.passes_over(0, [])
        session.queue(0, b"", b"")
        session.robot.parameters.change("on", True)
        assert session.passes_over(1, [("Tilt", b"old"), ("Place", b"place")])
        assert session.passes_over(2, [("Tilt", b"new")])
        session.take(message("Ack", struct.pack("<d", 0.0)))
        assert not session.passes_over(3, [])
        (name, payload), *readings = session.translated(0.003, [])
        assert name == "Parameter" and payload.endswith(b"on\0true")
        assert readings == [("Tilt", b"new"), ("Place", b"place")]


def test_notes_do_not_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_note("Bad left: one of \x1b[2J\x07")
    assert capsys.readouterr().err == "Bad left: one of \\x1b[2J\\x07\n"


def test_changes_that_a_program_cannot_hear_of_are_refused_in_the_end() -> None:
    with Simulation() as simulation, session_of(simulation) as session:
        session.take(message("Declare", b'{"name": "on", "kind": "bool", "value": false}'))
        for number in range(MOST_NEWS):
            session.robot.parameters.change("on", number % 2 == 0)
        with pytest.raises(UberSimError, match="yet to be told"):
            session.robot.parameters.change("on", True)
        assert len(session.translated(0.001, [])) == MOST_NEWS
        session.robot.parameters.change("on", True)
