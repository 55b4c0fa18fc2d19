"""Loose coupling: the world does not wait for a client that wants it so; everybody else stays in lockstep."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.network import become_unreachable
from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from tests.robustness.programs import session_of
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError
from ubersim.recording import Log, Recorder
from ubersim.recording.replay import replay
from ubersim.server.loose_session import LooseSession
from ubersim.server.session import MOST_UNREAD
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot

FRAMES = 400


def drive(port: int) -> None:
    """In lockstep: an answer to every frame."""
    with connect(cart(x=0.0), port=port) as robot:
        for number, _ in enumerate(robot):
            robot.set("Motor", "Vel", 0.01 * number)


def test_the_world_does_not_wait(serve: Callable[..., Any]) -> None:
    serving = serve(FRAMES, clients=1, loose=True)
    with connect(cart(), port=serving.port) as robot:
        assert robot.settings["loose"] is True
        serving.result()  # all frames are done, though not one was answered
        frames = list(robot)
    assert frames[-1].time <= (FRAMES - 1) * robot.step


def let_pass(simulation: Simulation, frame: int) -> None:
    """Waits until the world has come to that frame."""
    until(lambda: simulation.frame >= frame)


@pytest.mark.parametrize("lane", ["python", "native"])
@pytest.mark.parametrize("every", [1, 40])
def test_a_slow_client_sees_what_is_new(serve: Callable[..., Any], lane: str, every: int) -> None:
    """However many frames pass until it asks for one: that is not older than the question."""
    simulation = Simulation()
    serving = serve(None, simulation, clients=1, loose=True, lane=lane)
    with connect(cart(sensor="<Frequency>100</Frequency><Stamped>true</Stamped>"), port=serving.port) as robot:
        assert robot.next_frame() is not None
        seen, captured = 0, 0
        for _ in range(25):
            asked = simulation.frame
            frame = robot.next_frame()
            assert frame is not None
            number = round(frame.time / robot.step)
            assert seen < number and asked <= number
            newest = number // 10 * 10  # the newest reading that there is, and only if it was not seen yet
            expected = {"Tilt": pytest.approx(newest * robot.step)} if newest > captured else {}
            assert frame.captured == expected
            seen, captured = number, newest
            let_pass(simulation, asked + every)
    serving.server.stop()
    serving.result()


def test_who_answers_nothing_is_told_of_the_end(serve: Callable[..., Any]) -> None:
    serving = serve(FRAMES, clients=1, loose=True)
    with connect(cart(), port=serving.port, protocol=2) as robot:
        first = robot.next_frame()
        serving.result()
        assert first is not None and first.time == 0.0
        assert [frame.time for frame in robot] == []  # its answer came too late for another
        assert robot.end is not None and robot.end.reason == "finished"


def test_a_frame_that_a_client_does_not_take_holds_up_nobody() -> None:
    with Simulation() as simulation, session_of(simulation, kind=LooseSession) as session:
        session.queue(0, bytes(MOST_UNREAD + 2**22), b"")
        assert session.backlog and not session.congested


def test_changes_of_parameters_wait_for_a_busy_client(serve: Callable[..., Any]) -> None:
    serving = serve(None, clients=1)
    with connect(cart(), port=serving.port, loose=True, protocol=2) as robot, supervise(port=serving.port) as boss:
        gain = robot.parameter("gain", 0.0)
        until(lambda: robot.next_frame() is not None and bool(boss.parameters().get("Cart")))
        for value in (1.0, 2.0, 3.0):
            boss.set_parameter("Cart", "gain", value)
        assert gain.value == 0.0
        until(lambda: robot.next_frame() is not None and gain.value == 3.0)
    serving.server.stop()
    serving.result()


def test_commands_count_when_they_arrive_and_the_log_replays(serve: Callable[..., Any], tmp_path: Path) -> None:
    simulation, path = Simulation(), tmp_path / "loose.mcap"
    with Recorder(simulation, path):
        serving = serve(None, simulation, clients=1)
        with connect(cart(latency="3"), port=serving.port, loose=True) as robot:
            frame = robot.next_frame()
            robot.set("Motor", "Vel", 5.0)
            robot.stamp(0.0)  # long ago: it counts as now
            robot.set("Motor", "FMax", 7.0)
            robot.next_frame()
            wheel = simulation.robots["Cart"].joints["Motor"]
            while abs(wheel.rate()) < 1.0 and frame is not None:
                frame = robot.next_frame()
        until(lambda: not simulation.robots)  # it leaves as soon as its client does
        serving.server.stop()
        serving.result()
    with Log(path) as log:
        assert replay(log) is None


def test_a_client_goes_on_from_a_snapshot(serve: Callable[..., Any]) -> None:
    """What it had yet to see is of a time that is no more."""
    serving = serve(None, clients=1)
    document = cart(sensor="<Frequency>2</Frequency><Stamped>true</Stamped>")
    with connect(document, port=serving.port, loose=True) as robot, supervise(port=serving.port) as world:
        assert robot.next_frame() is not None
        world.pause()
        world.snapshot("then")
        world.step(1000)  # twice something is measured that waits for the client
        world.restore("then")
        world.rate(0.05)
        world.resume()
        frame = robot.next_frame()
        assert frame is not None
        assert all(captured <= frame.time for captured in frame.captured.values())
    serving.server.stop()
    serving.result()


class Executed(Observer):
    """The commands of the robot in lockstep, and in which frames they were executed."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.commands: list[tuple[int, Any]] = []

    def executed(self, robot: Robot, commands: Any) -> None:
        if robot.name == "Cart":
            self.commands += [(self.simulation.frame, command) for command in commands]


def test_others_stay_in_lockstep(serve: Callable[..., Any]) -> None:
    """A loose client beside one in lockstep changes nothing for that one."""
    runs = []
    for company in (False, True):
        simulation = Simulation()
        executed = Executed(simulation)
        simulation.observers.append(executed)
        serving = serve(FRAMES, simulation, clients=1 + company)
        program = threading.Thread(target=drive, args=(serving.port,))
        program.start()
        if company:
            with connect(cart("Idler", x=50.0), port=serving.port, loose=True):
                serving.result()
        serving.result()
        program.join()
        runs.append(executed.commands)
    assert runs[0] == runs[1]
    assert [frame for frame, _ in runs[0]] == list(range(FRAMES))


def test_a_loose_client_that_misbehaves_is_dropped(serve: Callable[..., Any]) -> None:
    serving = serve(None, clients=1, loose=True)
    with connect(cart(), port=serving.port) as robot:
        robot.next_frame()
        robot.set("Motor", "FMax", -1.0)
        with pytest.raises(RefusedError, match="FMax of 'Motor' cannot be -1"):
            for _ in robot:
                pass


def test_a_client_whose_machine_cannot_be_reached_any_more_leaves(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = serve(clients=1, loose=True)
    client = RawClient(serving.port, cart())
    become_unreachable(client, monkeypatch)
    until(lambda: not serving.simulation.robots)
    client.close()
