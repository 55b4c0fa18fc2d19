"""Parameters of programs: declared, changed by supervisors at exact frames, logged, replayed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from ubersim.client import RemoteRobot, connect
from ubersim.client.supervisor import supervise
from ubersim.errors import LocalProtocolError, UberSimError
from ubersim.protocol import Ack, Actuation
from ubersim.protocol.parameters import (
    Declaration,
    declaration,
    decode_change,
    decode_declaration,
    encode_change,
    encode_declaration,
)
from ubersim.recording import Log, Recorder, replay
from ubersim.server import serve_log
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.supervision.interventions import Interventions
from ubersim.transport.listen import listen

FRAMES = 60


def program(robot: RemoteRobot | LocalRobot, frames: int = FRAMES) -> list[tuple[int, Any]]:
    """Drives with a gain that may change; the frames in which it saw another value."""
    gain = robot.parameter("gain", 1.0, low=0, high=50)
    seen: list[tuple[int, Any]] = []
    for _ in range(frames):
        frame = robot.next_frame()
        if frame is None:
            break
        if not seen or seen[-1][1] != gain.value:
            seen.append((round(frame.time / robot.step), gain.value))
        robot.set("Motor", "Vel", float(gain))
    return seen


@pytest.mark.parametrize("latency", ["0", "7"])
def test_a_change_counts_from_an_exact_frame_on_and_is_replayed(latency: str, tmp_path: Path) -> None:
    simulation = Simulation()
    document = cart(latency=latency)
    with Recorder(simulation, tmp_path / "a.mcap"):
        serving = Serving(simulation, FRAMES, clients=1)
        with supervise(port=serving.port) as world:
            world.set_parameter("Cart", "gain", 20.0, frame=30)
            world.set_parameter("Cart", "gain", 3.0, frame=40)
            world.truth()  # both have come before any frame
            with connect(document, port=serving.port, protocol=2) as robot:
                seen = program(robot)
        serving.result()
    assert seen == [(0, 1.0), (31, 20.0), (41, 3.0)]
    with Log(tmp_path / "a.mcap") as log:
        assert replay(log) is None
        again: list[tuple[int, Any]] = []
        with listen("127.0.0.1", 0) as listener:

            def live() -> None:
                with connect(document, port=listener.getsockname()[1], protocol=2) as robot:
                    again.extend(program(robot))

            thread = threading.Thread(target=live, daemon=True)
            thread.start()
            outcome = serve_log(log, "Cart", listener, lambda _: None)
            thread.join(60)
    assert (again, outcome.difference) == (seen, "")
    assert outcome.commands > 0


def test_in_process_it_is_the_same() -> None:
    simulation = Simulation()
    robot = LocalRobot(simulation, simulation.spawn(cart(), position=(0, 0, 0.3)))
    interventions = Interventions(simulation)
    seen = program(robot, 10)
    interventions.execute("SetParameter", {"robot": "Cart", "name": "gain", "value": 7})
    assert interventions.execute("Parameters", {})["parameters"]["Cart"]["gain"]["value"] == 7
    gain = robot._parameters.by_name["gain"]
    assert (seen, gain.value) == ([(0, 1.0)], 1.0)
    robot.next_frame()
    assert (gain.value, gain.changed) == (7, simulation.time)


def test_all_kinds_and_what_is_refused() -> None:
    serving = Serving(Simulation(), None, clients=1)
    with supervise(port=serving.port) as world, connect(cart(), port=serving.port, protocol=2) as robot:
        debug = robot.parameter("debug", False)
        role = robot.parameter("role", "keeper", choices=("keeper", "striker"))
        note = robot.parameter("note", "")
        robot.parameter("free", 1)
        robot.next_frame()
        robot.next_frame()
        world.pause()
        declared = world.parameters()["Cart"]
        assert declared["role"] == {
            "name": "role", "kind": "choice", "value": "keeper", "choices": ["keeper", "striker"]
        }  # fmt: skip
        assert declared["debug"]["kind"] == "bool" and "low" not in declared["free"]
        acks = threading.Thread(target=lambda: [robot.next_frame() for _ in range(2)], daemon=True)
        acks.start()  # a change waits until the program has answered
        for name, value in (("debug", True), ("role", "striker"), ("note", "go"), ("free", -1e9)):
            world.set_parameter("Cart", name, value)
        for name, value, reason in (
            ("debug", 1, "debug is true or false, not 1"),
            ("role", "coach", "role is one of keeper, striker, not 'coach'"),
            ("note", 2.0, "note is a text of up to 1024 characters"),
            ("free", True, "free is a number from -inf to inf, not True"),
            ("nope", 1, "the program has declared no parameter 'nope'; did you mean note"),
        ):
            with pytest.raises(UberSimError, match=reason):
                world.set_parameter("Cart", name, value)
        world.resume()
        acks.join(60)
        assert (debug.value, role.value, note.value) == (True, "striker", "go")
        assert (bool(debug), str(role)) == (True, "striker")
    serving.server.stop()


BAD = {
    "no JSON": b"gain",
    "nothing in it": b"{}",
    "a name with a blank": b'{"name": "a b", "kind": "bool", "value": true}',
    "an unknown kind": b'{"name": "a", "kind": "colour", "value": 1}',
    "a value that is not of the kind": b'{"name": "a", "kind": "bool", "value": 1}',
    "a value out of range": b'{"name": "a", "kind": "number", "value": 9, "low": 0, "high": 1}',
    "limits the wrong way round": b'{"name": "a", "kind": "number", "value": 9, "low": 10, "high": 1}',
    "limits that are texts": b'{"name": "a", "kind": "number", "value": 9, "low": "0"}',
    "no choices": b'{"name": "a", "kind": "choice", "value": "x"}',
    "choices that are numbers": b'{"name": "a", "kind": "choice", "value": "x", "choices": [1, "x"]}',
    "choices that are no list": b'{"name": "a", "kind": "choice", "value": "x", "choices": "x"}',
    "a name that is a list": b'{"name": [], "kind": "bool", "value": true}',
    "a kind that is a list": b'{"name": "a", "kind": [], "value": true}',
}


@pytest.mark.parametrize("what", BAD)
def test_a_declaration_that_is_none_costs_the_robot(what: str) -> None:
    serving = Serving(Simulation(), None, clients=1)
    raw = RawClient(serving.port, cart().replace("<CSettings>", "<CSettings><Protocol>2</Protocol>"))
    raw.welcome()
    raw.frame()
    raw.send(Actuation("Declare", BAD[what]), Ack(0.0))
    assert "eclar" in raw.error()
    serving.server.stop()


def test_version_1_has_none() -> None:
    serving = Serving(Simulation(), None, clients=1)
    with connect(cart(), port=serving.port) as robot, pytest.raises(LocalProtocolError, match="version 2"):
        robot.parameter("gain", 1.0)
    serving.server.stop()


@pytest.mark.parametrize(
    "made",
    [
        Declaration("gain", "number", 12.0, 0, 50.0),
        Declaration("free", "number", -1),
        Declaration("on", "bool", False),
        Declaration("role", "choice", "Ü", choices=("Ü", "b")),
        Declaration("note", "text", ""),
    ],
)
def test_the_wire_both_ways(made: Declaration) -> None:
    assert decode_declaration(encode_declaration(made)) == made
    assert decode_change(encode_change(1.5, made.name, made.value)) == (1.5, made.name, made.value)


@pytest.mark.parametrize(
    ("name", "value", "more"),
    [
        ("", 1, {}),
        ("a", 5, {"high": 1}),
        ("a", "x", {"choices": ["y"]}),
        ("a", float("nan"), {}),
        ("a", "x" * 2000, {}),
    ],
)
def test_what_a_program_must_not_declare(name: str, value: Any, more: dict[str, Any]) -> None:
    with pytest.raises(LocalProtocolError):
        declaration(name, value, **more)
