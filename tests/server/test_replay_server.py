"""A log under control: supervisors let it run, stop it, go to any frame; readings and what programs said come along."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.recording_robots import car
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.client.robot import RemoteRobot
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.errors import RefusedError, UberSimError
from ubersim.recording import Log, Recorder
from ubersim.recording.event import RecordedEvent
from ubersim.recording.parameter_history import ParameterHistory
from ubersim.recording.time_travel import TimeTravel
from ubersim.server import ReplayOutcome, ReplayServer
from ubersim.server.log_server import STOPPED
from ubersim.server.logged_truth import LoggedTruth
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.transport.listen import listen

FRAMES = 300


def drive(robot: RemoteRobot) -> list[float]:
    """A program that says what it thinks; the tilts that it was told."""
    tilts = []
    for frame in robot:
        if "Tilt" in frame:
            tilts.append(float(np.asarray(frame["Tilt"])))
            robot.set("Motor", "Vel", 30.0 * frame.time)
            robot.log("speed", 30.0 * frame.time)
            if round(frame.time * 1000) == 100:
                robot.log("state", "a tenth of a second", level="warning")
    return tilts


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[float]]:
    """A log that keeps every frame, and what its program was told."""
    path, simulation = tmp_path_factory.mktemp("log") / "run.mcap", Simulation()
    with Recorder(simulation, path, poses=1):
        serving = Serving(simulation, FRAMES, clients=1)
        with connect(cart(latency="3"), port=serving.port, protocol=2) as robot:
            tilts = drive(robot)
        serving.result()
    return path, tilts


@contextmanager
def served(path: Path, **options: Any) -> Iterator[tuple[ReplayServer, list[ReplayOutcome | None]]]:
    outcomes: list[ReplayOutcome | None] = []
    with Log(path) as log, listen("127.0.0.1", 0) as listener, ReplayServer(log, listener, **options) as server:
        thread = threading.Thread(target=lambda: outcomes.append(server.run()), daemon=True)
        thread.start()
        try:
            yield server, outcomes
        finally:
            server.stop()
            thread.join(60)


def assert_as_then(world: Supervisor, log: Log, frame: int) -> None:
    truth, then = world.truth(sensors=["Cart/Tilt"]), log.at(frame * log.step).states
    assert truth.frame == frame and truth.standing
    for row, name in enumerate(truth.legend["bodies"]):
        state = then[tuple(name.split("/"))]
        mine = [truth.positions[row], truth.quaternions[row], truth.linear[row], truth.angular[row]]
        assert (np.concatenate(mine) == state).all()


def test_a_supervisor_goes_back_and_forth_frame_by_frame(run: tuple[Path, list[float]]) -> None:
    path, tilts = run
    with Log(path) as log, served(path) as (server, _), supervise(*server.address) as world:
        assert_as_then(world, log, 0)
        for frame in (1, 2, 3, 2, 1, 250, 249, 250, 7):
            world.seek(frame)
            assert_as_then(world, log, frame)
            reading = world.truth(sensors=["Cart/Tilt"]).readings["Cart/Tilt"]
            assert float(np.asarray(reading)) == tilts[frame]
        assert world.step(5) == 12
        assert_as_then(world, log, 12)
        assert world.scene()["log"] == [0, FRAMES]
        with pytest.raises(UberSimError, match="the log has the frames 0 to 300, not 301"):
            world.seek(FRAMES + 1)


def test_it_plays_to_the_end_and_stands_there(run: tuple[Path, list[float]]) -> None:
    path, _ = run
    with served(path) as (server, _), supervise(*server.address) as world:
        world.resume()
        until(lambda: server.frame == FRAMES)
        assert world.truth().standing
        world.seek(10)
        assert world.truth().frame == 10 and world.truth().standing


def test_at_a_rate_it_plays_by_itself(run: tuple[Path, list[float]]) -> None:
    path, _ = run
    with served(path, rate=1000.0) as (server, _):
        until(lambda: server.frame == FRAMES)


def test_what_programs_said_comes_with_the_frames(run: tuple[Path, list[float]]) -> None:
    path, _ = run
    with served(path) as (server, _), supervise(*server.address) as world:
        world.watch(every=1, logs=True)
        world.step(103)
        world.truth()  # what was said comes with the pictures
        said = [(round(time * 1000), entry.name, entry.value) for _, time, entry in world.take_logs()]
        assert (100, "state", "a tenth of a second") in said
        assert [frame for frame, name, _ in said if name == "speed"] == list(range(1, 104))
        world.seek(50)
        world.truth()
        (again,) = world.take_logs()
        assert (round(again[1] * 1000), again[2].value) == (50, 1.5)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of a program whose parameters were declared one after the other, and changed; then of another program."""
    path, simulation = tmp_path_factory.mktemp("log") / "tuned.mcap", Simulation()
    with Recorder(simulation, path):
        serving = Serving(simulation, 60, clients=1)
        with supervise(port=serving.port) as world:
            world.set_parameter("Cart", "gain", 20.0, frame=10)
            world.truth()  # it has come before any frame
            with connect(cart(), port=serving.port, protocol=2) as robot:
                robot.parameter("gain", 12.0, low=0, high=50)
                robot.log("a", 1.0)
                for frame in robot:
                    if round(frame.time * 1000) == 30:
                        robot.parameter("turn", "left", choices=("left", "right"))
                    if round(frame.time * 1000) == 40:
                        break
            with connect(cart(), port=serving.port, protocol=2) as robot:
                robot.parameter("slow", False)
                for _ in robot:
                    pass
        serving.result()
    return path


def test_parameters_are_those_that_programs_had(tuned: Path) -> None:
    gain = {"name": "gain", "kind": "number", "value": 12.0, "low": 0.0, "high": 50.0}
    turn = {"name": "turn", "kind": "choice", "value": "left", "choices": ["left", "right"]}
    with served(tuned) as (server, _), supervise(*server.address) as world:
        for frame, then in (
            (0, {"gain": gain}),
            (9, {"gain": gain}),
            (10, {"gain": gain | {"value": 20.0}}),
            (35, {"gain": gain | {"value": 20.0}, "turn": turn}),
            (50, {"slow": {"name": "slow", "kind": "bool", "value": False}}),
            (5, {"gain": gain}),
        ):
            world.seek(frame)
            assert world.parameters() == {"Cart": then}
        with pytest.raises(UberSimError, match="SetParameter: this is a log"):
            world.set_parameter("Cart", "gain", 1.0)


def test_a_recorder_that_comes_later_knows_what_was_declared(tmp_path: Path) -> None:
    simulation = Simulation()
    robot = LocalRobot(simulation, simulation.spawn(cart()))
    robot.parameter("gain", 12.0)
    robot.robot.parameters.change("gain", 13.0)
    with Recorder(simulation, tmp_path / "a.mcap"):
        for _ in range(3):
            robot.next_frame()
        robot.parameter("on", True)
        robot.next_frame()
    with Log(tmp_path / "a.mcap") as log:
        history = ParameterHistory(log)
        assert [*history.at(log.first)["Cart"].values.items()] == [("gain", 13.0)]
        assert [*history.at(log.last)["Cart"].values.items()] == [("gain", 13.0), ("on", True)]


def test_nothing_can_be_changed_in_it(run: tuple[Path, list[float]]) -> None:
    path, _ = run
    with served(path) as (server, _), supervise(*server.address) as world:
        with pytest.raises(
            UberSimError, match="Reset: this is a log that is replayed, in which nothing can be changed"
        ):
            world.reset()
        with pytest.raises(UberSimError, match="Remove: this is a log"):
            world.remove("Cart")
        with pytest.raises(RefusedError, match="replayed for supervisors"):
            connect(cart(), *server.address)


def test_a_running_world_cannot_seek() -> None:
    serving = Serving(Simulation(), None)
    with supervise(port=serving.port) as world, pytest.raises(UberSimError, match="goes back by Restore"):
        world.seek(3)
    serving.server.stop()


def test_a_program_runs_from_the_log_while_a_supervisor_holds_the_time(run: tuple[Path, list[float]]) -> None:
    path, tilts = run
    again: list[float] = []
    with Log(path) as log, served(path, robot="Cart") as (server, outcomes), supervise(*server.address) as world:
        world.pause(frame=100)
        document = log_document(log)
        program = threading.Thread(target=lambda: again.extend(drive(connect(document, *server.address))), daemon=True)
        program.start()
        until(lambda: server.frame == 100)
        assert_as_then(world, log, 100)
        with pytest.raises(UberSimError, match="a program runs from this log"):
            world.seek(3)
        world.step(20)
        assert_as_then(world, log, 120)
        world.resume()
        program.join(60)
        until(lambda: outcomes)
    assert again == tilts
    outcome = outcomes[0]
    assert outcome is not None and not outcome.difference and outcome.frames == FRAMES


def log_document(log: Log) -> str:
    """Of the robot in it."""
    return next(item.document for item in log.items() if getattr(item, "kind", "") == "joined")  # type: ignore[union-attr]


def test_readings_of_a_log_are_there_once_they_were_delivered(tmp_path: Path) -> None:
    """A stamped one says itself when it was captured: every 5 ms, and 3 ms before it was delivered."""
    path = tmp_path / "run.mcap"
    with Simulation() as simulation, Recorder(simulation, path):
        simulation.spawn(car())
        simulation.step(100)
    with Log(path) as log:
        travel = TimeTravel(log)
        truth = LoggedTruth(log, travel)
        assert truth.reading("Car/Tilt") is None and truth.reading("Car/Nose") is None
        with pytest.raises(UberSimError, match="there is no sensor 'Car/Nose'"):
            truth.largest_reading("Car/Nose")
        travel.go(57)
        found = truth.reading("Car/Tilt")
        assert found is not None and len(found.payload) == 4 and found.captured == pytest.approx(0.05)
        travel.close()


def test_it_is_stopped_before_a_program_has_come(run: tuple[Path, list[float]]) -> None:
    with Log(run[0]) as log:
        name = next(item.robot for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined")
    with served(run[0], robot=name) as (_, outcomes):
        pass
    (outcome,) = outcomes
    assert outcome is not None and (outcome.ended, outcome.frames) == (STOPPED, 0)
