"""`ubersim replay`, `info`, and what they say about logs that differ or were never finished."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.command_line import ubersim
from tests.helpers.device import Device
from tests.helpers.recording_robots import car, forge, record
from tests.helpers.robots import cart
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.control.port_server import PortServer
from ubersim.errors import RefusedError
from ubersim.recording.block import Block

UBERSIM = [sys.executable, "-m", "ubersim.cli"]


def run(*arguments: object) -> tuple[int, str]:
    """Exit code and output."""
    done = ubersim(*arguments)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    record(folder / "run.mcap", folder)
    return folder / "run.mcap"


def test_the_same_run_again(log: Path) -> None:
    code, said = run("replay", log)
    assert code == 0 and re.fullmatch(r"frames 0 to \d+: every body the same to the bit\n", said)


def test_another_run(log: Path, tmp_path: Path) -> None:
    def change(block: Block) -> Block:
        states = block.states.copy()
        states[:, 0] += 1e-9
        return replace(block, states=states)

    forge(log, tmp_path / "forged.mcap", change)
    code, said = run("replay", tmp_path / "forged.mcap")
    assert code == 1 and said.startswith("first difference in frame 0 (0 s): ")


def test_progress_is_for_terminals(log: Path) -> None:
    code, said = on_terminal("replay", log)
    assert code == 0 and re.search(r"\r\x1b\[Kframe \d+", said)
    code, said = on_terminal("serve", "--port", 0, "--clients", 0, "--frames", 800, "--rate", 1)
    assert code == 0 and re.search(r"frame \d+, 0\.\d\d s, 0 robots, \d\.\d\dx real time", said)


@pytest.mark.parametrize(
    ("clients", "why"), [((), ", stands still"), (("--clients", "2"), ", waiting for 2 more robots")]
)
def test_the_status_of_a_server_tells_what_it_waits_for(clients: tuple[str, ...], why: str) -> None:
    ours, theirs = pty.openpty()
    command = [*UBERSIM, "serve", "--port", "0", *clients]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        while not said.decode().endswith(why):
            said += os.read(ours, 4096)
        process.terminate()
    os.close(ours)


def on_terminal(*arguments: object) -> tuple[int, str]:
    """Exit code, and what goes to stderr if that is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([*UBERSIM, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return process.returncode, said.decode()


def test_a_log_whose_writer_was_killed(tmp_path: Path) -> None:
    log = tmp_path / "killed.mcap"
    command = [*UBERSIM, "serve", "--port", "0", "--clients", "0", "--record", str(log)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        while not log.exists() or log.stat().st_size < 20_000:
            assert server.poll() is None
            time.sleep(0.01)
        server.send_signal(signal.SIGKILL)
    for verb in ("replay", "info"):
        code, said = run(verb, log)
        assert code == 0 and "its writer was killed or is still writing, and the log ends there" in said


@pytest.mark.parametrize(("speed", "outcome"), [(5.0, 0), (6.0, 1)])
def test_a_client_is_served_from_the_log(tmp_path: Path, speed: float, outcome: int) -> None:
    log, document = tmp_path / "run.mcap", car()
    recorded = [*UBERSIM, "serve", "--port", "0", "--clients", "1", "--frames", "300", "--record", str(log)]
    for command, commanded in (
        (recorded, 5.0),
        ([*UBERSIM, "replay", str(log), "--serve", "Car", "--port", "0"], speed),
    ):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().rpartition(":")[2])
            with connect(document, port=port) as robot:
                for _ in robot:
                    robot.set("LMotor", "Vel", commanded)
            said, _ = server.communicate(timeout=60)
    assert server.returncode == outcome
    assert ("commands as recorded" in said) == (outcome == 0) == ("first difference in" not in said)


def test_a_page_is_written(log: Path, tmp_path: Path) -> None:
    command = [*UBERSIM, "replay", str(log), "--html", str(tmp_path / "run.html")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == f"{tmp_path / 'run.html'}: 25 pictures per second\n"
    code, said = run("replay", log, "--html", tmp_path / "no" / "run.html")
    assert code == 1 and "cannot write" in said and "Traceback" not in said


def test_an_address_that_is_not_ours_is_said_so(log: Path) -> None:
    code, said = run("replay", log, "--serve", "Car", "--host", "192.0.2.1", "--port", 1)
    assert code == 1 and "cannot listen on 192.0.2.1:1" in said


def replayed(*arguments: object) -> tuple[subprocess.Popen[str], int]:
    """A server of a log, and its port."""
    command = [*UBERSIM, "replay", *map(str, arguments), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    return server, int(server.stdout.readline().rpartition(":")[2])


def test_a_log_is_served_until_it_is_stopped(log: Path) -> None:
    server, port = replayed(log, "--serve")
    with supervise(port=port) as world:
        assert world.truth().time == 0.0
    server.send_signal(signal.SIGTERM)
    assert server.communicate(timeout=120) == ("", "")
    assert server.returncode == 0


def test_the_program_of_a_real_robot_runs_from_its_log_and_nothing_else_is_to_be_seen(tmp_path: Path) -> None:
    log, document = tmp_path / "real.mcap", cart()
    with PortServer(Device(), document, port=0, step=0.002, record=log) as device:
        device.run(frames=50)
    frames = device.frame  # on a busy machine it leaves some out, and may do so with the last one
    server, port = replayed(log, "--serve", "Cart")
    with pytest.raises(RefusedError, match="nothing of this log can be simulated again"):
        supervise(port=port)
    with connect(document.replace("<FMax>5", "<FMax>6"), port=port) as robot:
        assert len(list(robot)) == frames
    said, complaint = server.communicate(timeout=120)
    assert server.returncode == 0 and f"{frames} frames; " in said and "all 0 commands as recorded" in said
    assert complaint.endswith(
        "the client sends another document than then; it gets the readings of the recorded robot\n"
    )
