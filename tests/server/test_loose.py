"""Loose coupling: the world does not wait for a client that wants it so; everybody else stays in lockstep."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.errors import RefusedError
from ubersim.recording import Log, Recorder
from ubersim.recording.replay import replay
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
