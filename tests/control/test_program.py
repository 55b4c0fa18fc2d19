"""One API for programs: the same function drives a robot over TCP and in process, with the same bits."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.robots import cart
from ubersim.client import RemoteRobot, connect
from ubersim.control.program import ProgramRobot
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.digest import DigestWriter
from ubersim.simulation.local_robot import LocalRobot

FRAMES = 120
DOCUMENT = cart(latency="5", sensor="<Frequency>100</Frequency><Latency>3</Latency>")


def drive(robot: ProgramRobot) -> list[float]:
    """Looks, commands and stamps; the readings that it had at each look."""
    seen: list[float] = []
    while (frame := robot.next_frame()) is not None and frame.time < FRAMES * robot.step:
        assert robot.frame is frame
        tilt = robot.read("Tilt")
        seen.append(-1.0 if tilt is None else float(tilt))
        if len(seen) % 7 == 0:
            robot.set("Motor", "Vel", 0.1 * len(seen) + seen[-1])
    return seen


def with_stamps(robot: RemoteRobot | LocalRobot) -> list[float]:
    """As `drive`, but its commands count 4 ms later, and its latency changes on the way."""
    seen: list[float] = []
    while (frame := robot.next_frame()) is not None and frame.time < FRAMES * robot.step:
        seen.append(frame.time)
        if len(seen) % 7 == 0:
            robot.stamp(frame.time + 0.004)
            robot.set("Motor", "Vel", 0.1 * len(seen))
        if len(seen) == 50:
            robot.set_latency(9.0)
    return seen


def over_tcp(serve: Callable[..., Any], program: Callable[[RemoteRobot], list[float]]) -> tuple[list[float], list[str]]:
    digest = io.StringIO()
    serving = serve(FRAMES, clients=1, digest=digest)
    with connect(DOCUMENT, port=serving.port) as robot:
        seen = program(robot)
    serving.result()
    return seen, digest.getvalue().splitlines()


def in_process(program: Callable[[LocalRobot], list[float]]) -> tuple[list[float], list[str]]:
    digest = io.StringIO()
    with Simulation() as simulation:
        simulation.observers.append(DigestWriter(simulation, digest))
        with LocalRobot(simulation, simulation.spawn(DOCUMENT)) as robot:
            seen = program(robot)
    return seen, digest.getvalue().splitlines()[:FRAMES]


@pytest.mark.parametrize("program", [drive, with_stamps])
def test_the_same_program_gets_the_same_bits(serve: Callable[..., Any], program: Any) -> None:
    assert over_tcp(serve, program) == in_process(program)


def test_read_has_the_newest_reading_and_refuses_unknown_names() -> None:
    with Simulation() as simulation, LocalRobot(simulation, simulation.spawn(DOCUMENT)) as robot:
        assert robot.read("Tilt") is None and robot.frame is None
        for _ in range(5):
            robot.next_frame()
        assert robot.read("Tilt") == robot.latest["Tilt"]
        assert robot.find(type="InclinometerSensor") == ["Tilt"]
        with pytest.raises(UberSimError, match=r"there is no sensor 'Tlit'; .*Tilt"):
            robot.read("Tlit")


def test_settings_are_those_of_the_welcome(serve: Callable[..., Any]) -> None:
    serving = serve(10, clients=1)
    with connect(DOCUMENT, port=serving.port) as remote:
        over_tcp = remote.settings
    with Simulation() as simulation, LocalRobot(simulation, simulation.spawn(DOCUMENT)) as local:
        assert over_tcp == {"protocol": 1, **local.settings}
        local.draw("arrow", lines=[[(0, 0, 0), (1, 0, 0)]])
