"""What components of every kind take and tell over TCP: payloads, colours, reports; at exact frames."""

from __future__ import annotations

import contextlib
import math
import re
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.motor_robots import flywheel
from tests.helpers.raw_client import RawClient
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.errors import LocalProtocolError, RefusedError
from ubersim.protocol import Ack, Actuation
from ubersim.recording import Log, Recorder, replay
from ubersim.server import ReplayOutcome, serve_log
from ubersim.simulation import Simulation

Serve = Callable[..., Any]
GAINS = "<Kp>4000</Kp><Kd>40</Kd><TorqueLimit>1000</TorqueLimit>"
SERVO = f'<PositionServo name="M"><Joint>H</Joint>{GAINS}</PositionServo>'
TURNING = "<Vel>2</Vel><FMax>100</FMax>"


def path(*waypoints: tuple[float, float, float]) -> bytes:
    return b"".join(struct.pack("<3f", *waypoint) for waypoint in waypoints)


MOVES = {10: path((0.05, 1.0, 0.0)), 40: path((0.02, 0.5, -3.0), (0.08, -0.5, 0.0)), 90: b""}


def digests_in_process() -> list[str]:
    simulation = Simulation()
    robot = simulation.spawn(flywheel(SERVO, settings="<Latency>7</Latency>"))
    found = []
    for frame in range(150):
        if frame in MOVES:
            robot.send("M", MOVES[frame])
        found.append(simulation.digest())
        simulation.step()
    return found


@pytest.mark.parametrize("lookahead", [True, False])
def test_a_payload_executes_in_the_same_frame_as_in_process(serve: Serve, lookahead: bool) -> None:
    found: dict[int, str] = {}

    def watch(server: Any) -> None:
        found[server.simulation.frame] = server.simulation.digest()

    serving = serve(150, Simulation(), clients=1, watch=watch, lookahead=lookahead)
    with connect(flywheel(SERVO), port=serving.port, latency=7) as robot:
        about = robot.settings["motors"]["M"]
        assert about["type"] == "PositionServo" and about["payload"].startswith("a trajectory")
        for number, _ in enumerate(robot):
            if number in MOVES:
                robot.send("M", MOVES[number])
    serving.result()
    expected = digests_in_process()
    assert [found[frame] for frame in sorted(found)][:150] == expected[: len(found)][:150]
    assert len(set(expected)) > 100  # it did move


@pytest.mark.parametrize(
    ("component", "payload", "reason"),
    [
        ("M", b"123", "a payload of 3 bytes for 'M': a waypoint has 12 bytes"),
        ("M", path((math.nan, 0.0, 0.0)), "a payload of 12 bytes for 'M': waypoint 0 has the time nan s"),
        ("H", b"123", "'H' takes a payload of 8 bytes, not of 3"),
        ("X", b"123", "there is no component 'X'; there are Client, H, M, rim"),
    ],
)
def test_a_payload_that_says_nothing_is_an_error_to_that_client_alone(
    serve: Serve, component: str, payload: bytes, reason: str
) -> None:
    serving = serve(30, Simulation(), clients=2)
    good = RawClient(serving.port, flywheel(SERVO).replace(">R<", ">Good<", 1))
    bad = RawClient(serving.port, flywheel(SERVO).replace(">R<", ">Bad<", 1))
    good.welcome(), bad.welcome()
    bad.frame()
    bad.send(Actuation(component, payload), Ack(0.0))
    assert reason in bad.error()
    assert good.serve_to_the_end() == 30


def test_what_cannot_be_sent_is_refused_at_home(serve: Serve) -> None:
    serving = serve(3, clients=1)
    with connect(flywheel(SERVO), port=serving.port) as robot:
        with pytest.raises(LocalProtocolError, match="8 bytes are a property of 'M' and its value"):
            robot.send("M", bytes(8))
        with pytest.raises(LocalProtocolError, match="is too long; a message has 65536"):
            robot.send("M", bytes(1 << 16))
        with pytest.raises(LocalProtocolError, match="a message of its own"):
            robot.send("Client", b"abc")
        for name in ("Ack", "Timestamp"):
            with pytest.raises(LocalProtocolError, match=f"there is no component '{name}'"):
                robot.send(name, b"abc")
        assert len(list(robot)) == 3


def test_payloads_under_way_are_bounded(serve: Serve) -> None:
    serving = serve(clients=1)
    client = RawClient(serving.port, flywheel(SERVO, settings="<Latency>60000</Latency>"))
    client.welcome()
    long = Actuation("M", path(*((0.001 * (number + 1), 0.0, 0.0) for number in range(5000))))
    with contextlib.suppress(OSError):  # it hangs up at some point
        for _ in range(700):  # 42 MB, of which none is executed within the first minute
            client.send(long)
    assert "more than 16777216 bytes of commands are under way" in client.error()


def moving(port: int, moves: dict[int, bytes]) -> None:
    with connect(flywheel(SERVO), port=port, latency=7) as robot:
        for number, _ in enumerate(robot):
            if number in moves:
                robot.send("M", moves[number])


def from_log(log: Log, moves: dict[int, bytes]) -> ReplayOutcome:
    """What the same program does when the log is played to it."""
    outcomes: list[ReplayOutcome] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answer = lambda: outcomes.append(serve_log(log, "R", listener, lambda note: None))  # noqa: E731
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        moving(listener.getsockname()[1], moves)
        thread.join(60)
    return outcomes[0]


def test_a_log_is_served_to_a_client_that_sends_payloads(serve: Serve, tmp_path: Path) -> None:
    simulation = Simulation()
    recorder = Recorder(simulation, tmp_path / "run.mcap")
    serving = serve(120, simulation, clients=1)
    moving(serving.port, MOVES)
    serving.result()
    recorder.close()
    with Log(tmp_path / "run.mcap") as log:
        assert replay(log) is None
        outcome = from_log(log, MOVES)
        assert (outcome.commands, outcome.difference) == (3, "")
        other = from_log(log, MOVES | {40: path((0.02, 0.5, -3.0))})
    assert re.fullmatch(r"frame 47 \(0.047 s\): then M [0-9a-f]{48}, now M [0-9a-f]{24}", other.difference)


def test_a_joint_reports_with_its_frequency_and_latency(serve: Serve) -> None:
    report = "<Report><Frequency>100</Frequency><Latency>4</Latency><Stamped>true</Stamped></Report>"
    serving = serve(50, clients=1)
    with connect(flywheel("", TURNING + report), port=serving.port) as remote:
        about = remote.settings["sensors"]["H"]
        assert about == {"type": "JointHinge", "dtype": "<f4", "shape": [1, 2], "stamped": True} | {
            "quantities": [["position", "rad"], ["rate", "rad/s"]]
        }
        assert remote.settings["joints"]["H"] == {"type": "JointHinge", "axes": 1, "units": ["rad"]}
        for frame in remote:
            robot_frame = round(frame.time / 0.001)
            assert ("H" in frame) == (robot_frame % 10 == 4)
            if "H" in frame:
                ((position, rate),) = frame["H"].tolist()  # type: ignore[union-attr]
                assert frame.captured["H"] == pytest.approx(frame.time - 0.004)
                assert position == pytest.approx(2.0 * frame.captured["H"], abs=1e-6)
                assert rate == pytest.approx(2.0 if robot_frame > 4 else 0.0)
            if robot_frame == 20:
                remote.set("H", "Vel", 2.0)  # the joint's name is still the joint's, for commands


def test_a_lamp_is_commanded_over_the_wire_and_refuses_what_is_no_colour(serve: Serve) -> None:
    colors: dict[int, Any] = {}

    def watch(server: Any) -> None:
        colors[server.simulation.frame] = server.simulation.robots["R"].colors()["rim"]

    serving = serve(30, Simulation(), clients=1, watch=watch)
    with connect(flywheel(""), port=serving.port, latency=5) as robot:
        for number, _ in enumerate(robot):
            if number == 10:
                for name, value in (("Red", 1.0), ("Green", 0.5), ("Blue", 0.0)):
                    robot.set("rim", name, value)
    serving.result()
    assert colors[15] == (0.7, 0.7, 0.7) and colors[16] == (1.0, 0.5, 0.0)
    serving = serve(clients=1)
    with (
        connect(flywheel(""), port=serving.port) as robot,
        pytest.raises(RefusedError, match="Red of 'rim' cannot be 2"),
    ):
        for _ in robot:
            robot.set("rim", "Red", 2.0)


def test_a_supervisor_paints_and_hears_of_it(serve: Serve) -> None:
    """The legend has another number, so that pages look at the scene again."""
    simulation = Simulation()
    simulation.spawn(flywheel(""))
    with supervise(port=serve(None, simulation).port) as world:
        world.pause()
        before = world.truth().legend
        world.set("R", "rim", "Red", 1.0)
        after = world.truth().legend
        assert after["number"] == before["number"] + 1 and after["robots"] == before["robots"]
        assert [shape["color"] for shape in world.scene()["shapes"]] == [[1.0, 0.7, 0.7]]
        world.set("R", "rim", "Red", 1.0)
        assert world.truth().legend["number"] == after["number"]
