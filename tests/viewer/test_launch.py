"""The page as a program: it says where it is, and ends with its server, or when it is interrupted."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers.page_client import PageClient
from tests.helpers.robots import segway
from tests.helpers.serving import Serving
from ubersim.recording import Recorder
from ubersim.simulation import Simulation

Start = Callable[..., tuple[subprocess.Popen[str], str]]


def _hear_interrupts() -> None:
    """Tests that a shell runs in the background inherit that these are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts `ubersim` with a page; returns the process and the page's address."""
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: object, stdin: int | None = None) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "ubersim.cli", *map(str, arguments)]
        process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_hear_interrupts
        )
        started.append(process)
        assert process.stdout is not None
        line = next(line for line in process.stdout if line.startswith("page at"))
        assert line.startswith("page at http://127.0.0.1:")
        return process, line.split()[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def test_a_page_is_interrupted(serve: Callable[..., Serving], start: Start) -> None:
    process, address = start("view", f"127.0.0.1:{serve(clients=0, rate=1.0).port}", "--port", 0)
    with PageClient(address):
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=60)
    # The library of the page may mention a message of the browser's that it could not take any more.
    assert said == "" and "KeyboardInterrupt" not in complaints
    assert process.returncode == 0


def test_beside_a_server_it_speaks_on_a_line_of_its_own(serve: Callable[..., Serving]) -> None:
    """Where the server's status is, on a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ubersim.cli", "view", str(serve(clients=0, rate=1.0).port), "--port", "0"]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs) as process, open(ours, "rb") as terminal:
        assert terminal.readline().startswith(b"\r\x1b[Kpage at http://127.0.0.1:")
        process.terminate()
    os.close(theirs)


def test_a_page_ends_with_its_server(serve: Callable[..., Serving], start: Start) -> None:
    serving = serve(clients=0, rate=1.0)
    process, _ = start("view", serving.port, "--port", 0)
    serving.server.stop()
    serving.result()
    assert process.wait(60) == 0


def test_a_server_with_a_token(serve: Callable[..., Serving], start: Start, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    port = serve(clients=0, rate=1.0, token="secret").port
    start("view", port, "--port", 0, "--token-file", tmp_path / "token")


def test_a_log_is_played_until_it_is_interrupted(start: Start, tmp_path: Path) -> None:
    simulation = Simulation()
    simulation.spawn(segway())
    with Recorder(simulation, tmp_path / "run.mcap"):
        simulation.step(500)
    process, address = start("replay", tmp_path / "run.mcap", "--view", "--view-port", 0)
    with PageClient(address):
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=60)
    # The library of the page may mention a message of the browser's that it could not take any more.
    assert said == "" and "KeyboardInterrupt" not in complaints
    assert process.returncode == 0


def test_the_page_of_a_driven_robot_follows_it(start: Start) -> None:
    """Without anything being pressed."""
    keyboard, terminal = pty.openpty()
    try:
        process, address = start("drive", "scout", "--view", "--view-port", 0, stdin=terminal)
        with PageClient(address) as client:
            client.hear("/followed")
            os.write(keyboard, b"x")
            assert process.wait(60) == 0
    finally:
        os.close(keyboard)
        os.close(terminal)
