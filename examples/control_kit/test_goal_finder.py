"""The goal finder under test, with the fixtures of the pytest plugin: `pytest examples/control_kit`."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from goal_modules import ONE, THREE
from goal_packages import Aim, Sectors

from ubersim.control import ControlRun, Layout, run
from ubersim.control.log_robot import LogRobot
from ubersim.recording import Recorder
from ubersim.simulation import Simulation
from ubersim.simulation.digest import DigestWriter
from ubersim.simulation.local_robot import LocalRobot
from ubersim.testing.served import ServedTrial

HERE = Path(__file__).parent
YARD = HERE / "yard.xml"
STEP = 0.004
POSTS = ((0.1, 2.2), (-1.1, 3.2), (1.2, 3.4))
"""Where they stand, each 0.2 m thick [m]."""


def digests_of(trial: ServedTrial, seconds: float) -> list[str]:
    """A hash of everything in every frame."""
    digest = io.StringIO()
    writer = DigestWriter(trial.simulation, digest)
    trial.simulation.observers.append(writer)
    trial.run(seconds)
    return digest.getvalue().splitlines()


@pytest.mark.parametrize("switches", [(), ("--switch",)])
def test_it_finds_its_goal(ubersim_server: Callable[..., ServedTrial], switches: tuple[str, ...]) -> None:
    """With the first solutions, and with others that take over on the way; and touches nothing."""
    program = ["goal_finder.py", "--from", "127.0.0.1:{port}", "--seconds", "40", *switches]
    trial = ubersim_server(program, world=YARD, step=STEP)
    nearest = math.inf

    def is_there() -> bool:
        nonlocal nearest
        x, y, _ = trial.see("Pioneer").position
        nearest = min([nearest, *(math.hypot(x - post[0], y - post[1]) - 0.2 for post in POSTS)])
        return math.hypot(x, y - 5.0) < 0.25

    trial.run_until(is_there, timeout=30.0)
    assert nearest > 0.2  # the robot is 0.19 m wide on either side


def test_one_process_and_three_drive_alike(ubersim_server: Callable[..., ServedTrial]) -> None:
    """To the last bit, while solutions are switched."""
    runs = []
    for processes in ("1", "3"):
        program = ["goal_finder.py", "--from", "127.0.0.1:{port}", "--switch", "--processes", processes]
        runs.append(digests_of(ubersim_server(program, world=YARD, step=STEP), 2.5))
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 500


@pytest.mark.parametrize("layout", [ONE, THREE], ids=["one", "three"])
def test_from_a_log_it_decides_as_then(tmp_path: Path, layout: Layout) -> None:
    """Offline, with the readings of then."""
    with Simulation(YARD, step=STEP) as simulation, Recorder(simulation, tmp_path / "run.mcap"):
        run(ONE, LocalRobot(simulation, simulation.spawn("pioneer")), seconds=1.0)
    with LogRobot(tmp_path / "run.mcap") as remembered, ControlRun(layout, remembered) as control:
        while control.step() is not None:
            pass
        assert remembered.difference == "" and len(remembered.commands) > 50


@pytest.fixture
def fake_robot(tmp_path: Path) -> Iterator[str]:
    """A robot of its own, as a process; where it is."""
    command = [sys.executable, str(HERE / "fake_robot.py"), "--port", "0", "--record", str(tmp_path / "real.mcap")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as robot:
        assert robot.stdout is not None
        yield robot.stdout.readline().split()[-1]
        robot.terminate()
        assert robot.wait() == 0


def test_the_same_program_drives_the_robot(fake_robot: str, tmp_path: Path) -> None:
    """By its address alone; what happened is in the robot's own log."""
    program = [sys.executable, str(HERE / "goal_finder.py"), "--from", fake_robot, "--seconds", "1.5"]
    said = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert "not at the goal" in said
    with LogRobot(tmp_path / "real.mcap") as remembered:
        ways = [remembered.frame["Odometry"] for _ in remembered if remembered.frame and "Odometry" in remembered.frame]
    assert np.asarray(ways[-1])[1] > 0.05


def test_sectors_and_aims_are_plain_data() -> None:
    """Modules can be tested one by one: they are classes with a method."""
    from goal_modules import WidestGap

    blocked = Sectors((0.5, 0.0, -0.5), (3.0, 0.5, 3.0))
    assert WidestGap().update(Aim(0.1, 5.0), blocked).bearing == 0.5
    assert WidestGap().update(Aim(-0.1, 5.0), blocked).bearing == -0.5
