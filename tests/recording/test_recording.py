"""Recording changes nothing, and a recorded run happens again to the bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.paths import ROOT
from tests.helpers.recording_robots import car, drive, forge, record, world
from ubersim.errors import ExplodedError, UberSimError
from ubersim.recording import Log, Recorder, replay
from ubersim.recording.block import Block
from ubersim.recording.event import RecordedEvent
from ubersim.recording.replay import Difference
from ubersim.recording.replayed_robot import ReplayedRobot
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with robots that come and go; tests only read it."""
    folder = tmp_path_factory.mktemp("run")
    record(folder / "run.mcap", folder)
    return folder / "run.mcap"


def verified(path: Path) -> Difference | None:
    with Log(path) as log:
        return replay(log)


def test_a_robot_whose_joints_bring_bodies_along_is_replayed(tmp_path: Path) -> None:
    simulation = Simulation()
    robot = simulation.spawn(ROOT / "robots" / "msl_omni.xml")
    with Recorder(simulation, tmp_path / "run.mcap"):
        simulation.step(20)
        robot.command(next(iter(robot.joints)), "Vel", 3.0)
        simulation.step(80)
    assert verified(tmp_path / "run.mcap") is None


def test_recording_changes_no_bit(tmp_path: Path) -> None:
    digests = []
    for path in (None, tmp_path / "a.mcap"):
        simulation = Simulation(world(tmp_path), seed=5)
        simulation.spawn(car(), position=(0.0, 0.0, 0.01))
        recorder = None if path is None else Recorder(simulation, path, poses=3)
        run = []
        for _ in range(40):
            drive(simulation, 33)
            run.append((simulation.digest(), simulation.robots["Car"].read("Tilt")))
        if recorder is not None:
            recorder.close()
        digests.append(run)
    assert digests[0] == digests[1]


def test_the_same_log_twice(tmp_path: Path) -> None:
    record(tmp_path / "a.mcap", tmp_path, 1500)
    record(tmp_path / "b.mcap", tmp_path, 1500)
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


def test_a_run_happens_again(run: Path) -> None:
    with Log(run) as log:
        assert (log.first, log.last, log.complete) == (0, 2500, True)
        assert replay(log) is None


@pytest.mark.parametrize(
    "frame, row, robot, body",
    [(1, 2, "One", "LWheel"), (777, 0, "", "Ball"), (1234, 6, "Two", "RWheel"), (2500, 3, "One", "RWheel")],
)
def test_another_fingerprint_is_found(run: Path, tmp_path: Path, frame: int, row: int, robot: str, body: str) -> None:
    def change(block: Block) -> Block:
        if not block.first < frame <= block.end:
            return block
        prints = block.fingerprints.copy()
        prints[frame - block.first - 1, row] ^= 1
        return replace(block, fingerprints=prints)

    forge(run, tmp_path / "forged.mcap", change)
    difference = verified(tmp_path / "forged.mcap")
    assert difference == Difference(frame, frame * 0.001, robot, body)
    assert f"frame {frame}" in str(difference) and body in str(difference)


def test_a_copy_is_no_difference(run: Path, tmp_path: Path) -> None:
    forge(run, tmp_path / "copy.mcap", lambda block: block)
    assert verified(tmp_path / "copy.mcap") is None


def test_another_command_is_found_in_the_next_frame(run: Path, tmp_path: Path) -> None:
    executed: list[int] = []

    def change(block: Block) -> Block:
        frames = block.commands["frame"]
        if executed or not (frames > 1500).any():
            return block
        commands = block.commands.copy()
        first = frames[frames > 1500][0]
        commands["value"][frames == first] = -20.0  # the other way, with all that the motors have
        executed.append(int(first))
        return replace(block, commands=commands)

    forge(run, tmp_path / "forged.mcap", change)
    difference = verified(tmp_path / "forged.mcap")
    assert difference is not None
    assert difference.frame == executed[0] + 1


def test_another_state_at_the_beginning_is_found(run: Path, tmp_path: Path) -> None:
    def change(block: Block) -> Block:
        states = block.states.copy()
        if block.first == 300:
            states[0, 4, 2] = np.nextafter(states[0, 4, 2], 9)
        return replace(block, states=states)

    forge(run, tmp_path / "forged.mcap", change)
    assert verified(tmp_path / "forged.mcap") == Difference(300, 0.3, "Two", "Chassis")


def test_a_recording_may_begin_at_any_time(tmp_path: Path) -> None:
    """With commands and readings under way."""
    simulation = Simulation(world(tmp_path))
    simulation.spawn(car(), name="One", position=(0.0, 0.0, 0.01))
    drive(simulation, 503)
    simulation.robots["One"].command("LMotor", "Vel", -8.0)
    with Recorder(simulation, tmp_path / "late.mcap"):
        simulation.spawn(car(), name="Two", position=(1.0, 0.0, 0.01))
        drive(simulation, 700)
    with Log(tmp_path / "late.mcap") as log:
        assert (log.first, log.last) == (503, 1203)
        assert replay(log) is None


def test_everything_that_happens_happens_again(tmp_path: Path) -> None:
    """Snapshots, resets, pushes, teleports, explosions: the log knows them all, and its own time never goes back."""
    simulation = Simulation(world(tmp_path))
    simulation.spawn(car(), name="One", position=(0.0, 0.0, 0.01))
    deeds = Interventions(simulation)
    with Recorder(simulation, tmp_path / "all.mcap"):
        drive(simulation, 100)
        before = simulation.snapshot()
        simulation.push("One/Chassis", (3.0, 1.0, 0.0), 0.05)
        drive(simulation, 100)
        simulation.spawn(car(), name="Two", position=(1.0, 0.0, 0.01))
        deeds.execute("Teleport", {"thing": "Ball", "position": [0.5, 0.5, 1.0]})
        deeds.execute("Latency", {"robot": "Two", "milliseconds": 50.0})
        drive(simulation, 100)
        simulation.restore(before)
        drive(simulation, 50)
        simulation.reset_objects()
        simulation.push("One/LWheel", (9e8, 0.0, 0.0), 60.0)
        with pytest.raises(ExplodedError):
            drive(simulation, 5000)
        exploded = simulation.frame
        simulation.remove("One")
        simulation.spawn(car(), name="Three", position=(0.0, 2.0, 0.01))
        drive(simulation, 50)
        simulation.reset()
        drive(simulation, 50)
    with Log(tmp_path / "all.mcap") as log:
        assert replay(log) is None
        frames = [instant.frame for instant in log.instants()]
        assert frames == sorted(frames)
        assert log.last == 300 - 100 + exploded + 50 + 50
        assert "exploded" in [item.kind for item in log.items() if isinstance(item, RecordedEvent)]


@pytest.mark.parametrize(
    "token",
    [
        "<Token>hush-hush</Token>",
        "<Token>hush<!-- </Token> -->-hush</Token>",
        "<Token><![CDATA[</Token>hush-hush]]></Token>",
        "<!-- not <Token> --><Token>hush-hush</Token>",
        "<!-- it was <Token>hush-hush</Token> --><Token\n>hush-hush</Token\n>",
        "<Token>&#104;ush-hush</Token><!-- </Token> -->",
    ],
)
def test_a_token_stays_out_of_the_log(tmp_path: Path, token: str) -> None:
    simulation = Simulation()
    secret = car().replace("<CSettings>", f"<CSettings>{token}")
    simulation.spawn(secret, name="Early")
    with Recorder(simulation, tmp_path / "a.mcap"):
        simulation.spawn(secret, name="Late")
        simulation.restore(simulation.snapshot())
        drive(simulation, 30)
    with Log(tmp_path / "a.mcap") as log:
        assert replay(log) is None
        assert not any("hush" in repr(item) for item in log.items())
        assert b"hush" not in log.start.to_bytes()
        assert b"hush" not in (tmp_path / "a.mcap").read_bytes()


def test_one_recorder_at_a_time(tmp_path: Path) -> None:
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "a.mcap"), pytest.raises(UberSimError, match="already"):
        Recorder(simulation, tmp_path / "b.mcap")
    with pytest.raises(UberSimError, match="cannot write"):
        Recorder(simulation, tmp_path / "nowhere" / "b.mcap")
    assert not simulation.observers


ENDLESS = """
import sys
from pathlib import Path
from tests.helpers.recording_robots import car, drive
from ubersim.recording import Recorder
from ubersim.simulation import Simulation
simulation = Simulation()
simulation.spawn(car())
recorder = Recorder(simulation, sys.argv[1])
while True:
    drive(simulation, 100)
    print(simulation.frame, flush=True)
"""


def test_a_killed_writer_leaves_a_log(tmp_path: Path) -> None:
    path = tmp_path / "killed.mcap"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-c", ENDLESS, str(path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env=environment) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) >= 4300:
                break
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    with Log(path) as log:
        assert not log.complete
        assert log.last >= 4000
        assert replay(log) is None
    whole, ends = path.read_bytes(), []
    for part in (1.0, 0.99, 0.7, 0.4):  # wherever it was in the midst of writing
        path.write_bytes(whole[: int(part * len(whole))])
        with Log(path) as log:
            assert replay(log) is None
            ends.append(log.last)
    assert ends == sorted(ends, reverse=True) and 0 < ends[-1] < ends[-2] < ends[0]
    path.write_bytes(whole[:3000])
    with pytest.raises(UberSimError, match=r"no log|first chunk"):
        Log(path)


def test_memory_does_not_grow(tmp_path: Path) -> None:
    """The same again, ten times as long: what is kept in memory at the end is a block at most."""
    import tracemalloc

    simulation = Simulation()
    simulation.spawn(car())
    with Recorder(simulation, tmp_path / "long.mcap"):
        drive(simulation, 3_000)
        tracemalloc.start()
        drive(simulation, 1_000)
        first = tracemalloc.get_traced_memory()[0]
        drive(simulation, 20_000)
        growth = tracemalloc.get_traced_memory()[0] - first
        tracemalloc.stop()
    assert growth < 200_000


def test_an_empty_world_can_be_recorded(tmp_path: Path) -> None:
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "empty.mcap"):
        simulation.step(2500)
    with Log(tmp_path / "empty.mcap") as log:
        assert (log.first, log.last) == (0, 2500)
        assert replay(log) is None
        assert log.at(1.0).states == {}


def test_a_log_that_stops_telling_how_it_was(tmp_path: Path) -> None:
    with Simulation() as simulation, Recorder(simulation, tmp_path / "a.mcap"):
        simulation.spawn(car())
        simulation.step(500)

    def cut(block: Block) -> Block:
        return replace(block, fingerprints=block.fingerprints[:100])

    forge(tmp_path / "a.mcap", tmp_path / "b.mcap", cut)
    with Log(tmp_path / "b.mcap") as log:
        difference = replay(log)
    assert difference is not None and difference.frame == 100
    assert "from here on the log does not say how it was" in str(difference)


def test_a_robot_of_a_log_is_the_same_robot(tmp_path: Path) -> None:
    with Simulation() as simulation, Recorder(simulation, tmp_path / "a.mcap"):
        identity = simulation.spawn(car()).identity()
        simulation.step(5)
    with Log(tmp_path / "a.mcap") as log:
        (joined,) = [item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined"]
        assert ReplayedRobot(log, joined).identity() == identity
