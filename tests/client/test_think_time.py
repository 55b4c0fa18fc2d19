"""The world goes on while a program thinks: over TCP as the timeline says, and in process with the same bits."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.robots import cart
from ubersim.client import Frame, connect
from ubersim.errors import UberSimError
from ubersim.recording import Log, Recorder
from ubersim.recording.replay import replay
from ubersim.simulation import Simulation
from ubersim.simulation.digest import DigestWriter
from ubersim.simulation.local_robot import LocalRobot
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Command, Robot
from ubersim.timing.normal import Normal
from ubersim.timing.think_time import Measured, Think

FRAMES = 400
LATENCY = 12
"""Of the robot's commands [ms]."""
SENSOR = "<Stamped>true</Stamped><Frequency>100</Frequency><Latency>7</Latency>"


class Executed(Observer):
    """What is executed in which frame."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.commands: list[tuple[int, float | bytes]] = []

    def executed(self, robot: Robot, commands: Any) -> None:
        command: Command
        for command in commands:
            self.commands.append((self.simulation.frame, command[2]))


Seen = list[tuple[int, list[int], list[list[int]]]]


def think_along(frames: Iterator[Frame], command: Callable[[float], None], seen: Seen) -> None:
    """Commands the number of its look; keeps the frame, when its readings were captured, and those that passed."""
    for frame in frames:
        if frame.time >= FRAMES * 0.001:
            return
        captured = [[round(1000 * time) for time in each.captured.values()] for each in (*frame.passed, frame)]
        seen.append((round(1000 * frame.time), captured.pop(), captured))
        command(float(len(seen)))


def over_tcp(serve: Callable[..., Any], think: Think, **options: Any) -> tuple[Seen, Any, list[str]]:
    simulation, digest = Simulation(), io.StringIO()
    executed, seen = Executed(simulation), Seen()
    simulation.observers.append(executed)
    serving = serve(FRAMES, simulation, clients=1, digest=digest)
    with connect(cart(latency=str(LATENCY), sensor=SENSOR), port=serving.port, think=think, **options) as robot:
        think_along(iter(robot), lambda value: robot.set("Motor", "Vel", value), seen)
    serving.result()
    return seen, executed.commands, digest.getvalue().splitlines()


def in_process(think: Think, **options: Any) -> tuple[Seen, Any, list[str]]:
    simulation, digest = Simulation(), io.StringIO()
    executed, seen = Executed(simulation), Seen()
    simulation.observers += [executed, DigestWriter(simulation, digest)]
    robot = simulation.spawn(cart(latency=str(LATENCY), sensor=SENSOR))
    program = LocalRobot(simulation, robot, think=think, **options)
    think_along(iter(program), lambda value: program.set("Motor", "Vel", value), seen)
    commands = [command for command in executed.commands if command[0] < FRAMES]
    return seen, commands, digest.getvalue().splitlines()[:FRAMES]


def test_a_program_asked_at_50_hz_that_thinks_35_ms(serve: Callable[..., Any]) -> None:
    seen, commands, digest = over_tcp(serve, 35, hz=50)
    looks = list(range(0, FRAMES, 40))
    assert [frame for frame, _, _ in seen] == looks
    # What it commands is executed when it has thought, and the robot's latency is over.
    expected = [(look + 35 + LATENCY, 1.0 + number) for number, look in enumerate(looks)]
    assert commands == [entry for entry in expected if entry[0] < FRAMES]
    # Readings of 100 Hz that take 7 ms: at 40 ms the newest is that of 30 ms; four have come since the first look.
    assert seen[0] == (0, [], [])
    for frame, newest, passed in seen[1:]:
        assert newest == [frame - 10]
        assert passed == [[t] for t in range(frame - 40, frame, 10)]
    assert (seen, commands, digest) == in_process(35, hz=50)


@pytest.mark.parametrize("overlap", [False, True])
def test_drawn_think_times_repeat_and_are_the_same_in_process(serve: Callable[..., Any], overlap: bool) -> None:
    think = Normal(30, 12, min=4, seed=5)
    served = over_tcp(serve, think, hz=100, overlap=overlap)
    assert served == over_tcp(serve, think, hz=100, overlap=overlap)
    assert served == in_process(think, hz=100, overlap=overlap)
    seen, commands, _ = served
    assert len({frame - look[0] for (frame, _), look in zip(commands, seen, strict=False)}) > 4


@pytest.mark.parametrize("think", ["measured", Measured(3.0)])
def test_what_a_program_really_takes_is_in_the_log(serve: Callable[..., Any], tmp_path: Path, think: Think) -> None:
    simulation, log = Simulation(), tmp_path / "run.mcap"
    recorder, executed = Recorder(simulation, log), Executed(simulation)
    simulation.observers.append(executed)
    serving = serve(None, simulation, clients=1)
    with connect(cart(sensor=SENSOR), port=serving.port, think=think) as robot:
        for frame in robot:
            time.sleep(0.004)
            robot.set("Motor", "Vel", frame.time)
            if len(executed.commands) >= 10:  # however long a busy machine makes it think
                break
    serving.server.stop()
    serving.result()
    recorder.close()
    least = 4 if think == "measured" else 12
    assert all(frame - round(1000 * asked) >= least for frame, asked in executed.commands)  # type: ignore[arg-type]
    assert replay(Log(log)) is None


def test_without_think_time_all_is_as_ever(serve: Callable[..., Any]) -> None:
    seen, commands, _ = over_tcp(serve, 0)
    assert [frame for frame, _, _ in seen] == list(range(FRAMES))
    assert commands == [(frame + LATENCY, frame + 1.0) for frame in range(FRAMES - LATENCY)]


def test_a_program_in_process_follows_a_world_that_is_set_back() -> None:
    simulation = Simulation()
    program = LocalRobot(simulation, simulation.spawn(cart(sensor=SENSOR)), think=35, hz=50)
    program.next_frame()
    start = simulation.snapshot()
    first = [(frame.time, frame.readings) for frame, _ in zip(program, range(5), strict=False)]
    program.set("Motor", "Vel", 2.0)
    simulation.restore(start)
    assert program.next_frame().time == 0.0
    assert [(frame.time, frame.readings) for frame, _ in zip(program, range(5), strict=False)] == first
    program.close()
    assert not simulation.observers


def test_what_a_program_in_process_cannot_command_is_refused_at_once() -> None:
    simulation = Simulation()
    program = LocalRobot(simulation, simulation.spawn(cart()))
    program.next_frame()
    for component, name, value, message in [
        ("Engine", "Vel", 1.0, "no component 'Engine'"),
        ("Motor", "Spin", 1.0, "no property 'Spin'"),
        ("Motor", "Vel", 1e39, "single precision"),
        ("Motor", "Vel", float("nan"), "nan"),
    ]:
        with pytest.raises(UberSimError, match=message):
            program.set(component, name, value)
    assert program.next_frame().time == 0.001
