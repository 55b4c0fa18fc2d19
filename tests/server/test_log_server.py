"""Client programs that run from a log."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.helpers.command_line import ubersim
from tests.helpers.recording_clients import EYE, client, from_log
from tests.helpers.recording_robots import car
from ubersim.errors import RefusedError, UberSimError
from ubersim.recording import Log, Recorder, replay
from ubersim.server import Server, serve_log
from ubersim.simulation import Simulation

FRAMES = 1500


def recorded(document: str, path: Path, images: int = 0) -> list[object]:
    """What a client has read from a server while it was recorded."""
    simulation = Simulation(seed=8)
    read: list[object] = []
    with Recorder(simulation, path, images=images), Server(simulation, port=0, clients=2) as server:
        port = server.address[1]
        threads = [threading.Thread(target=client, args=(car(), port, None, "Other"), daemon=True)]
        threads.append(threading.Thread(target=lambda: read.extend(client(document, port)), daemon=True))
        for thread in threads:
            thread.start()
        server.run(FRAMES)
    for thread in threads:
        thread.join()
    return read


def test_a_client_lives_through_it_again(tmp_path: Path) -> None:
    """With random latency, losses, and a latency that it changes itself."""
    then = recorded(car(), tmp_path / "a.mcap")
    with Log(tmp_path / "a.mcap") as log:
        assert replay(log) is None
    outcome, now, notes = from_log(tmp_path / "a.mcap", car())
    assert now == then and len(now) == FRAMES
    assert (outcome.frames, outcome.difference, notes) == (FRAMES, "", [])
    assert outcome.commands > 400


def test_another_client_is_told_apart(tmp_path: Path) -> None:
    recorded(car(latency="<Latency>5</Latency>"), tmp_path / "a.mcap")
    outcome, now, notes = from_log(tmp_path / "a.mcap", car(latency="<Latency>5</Latency>"), mistake=800)
    assert len(now) == FRAMES
    # The reading of 0.800 s arrives 3 ms later; what was answered is executed 6 ms after that.
    assert outcome.difference.startswith("frame 809 (0.809 s): then LMotor.Vel = ")
    assert outcome.difference.count("RMotor") == 1
    outcome, _, notes = from_log(tmp_path / "a.mcap", car(latency="<Latency>7</Latency>"))
    assert "another document" in notes[0] and not outcome.difference


@pytest.mark.parametrize("images, missing", [(1, 0), (2, 15), (0, 30)])
def test_pictures_come_again_if_they_were_recorded(tmp_path: Path, images: int, missing: int) -> None:
    then = recorded(car(sensors=EYE), tmp_path / "a.mcap", images)
    _, now, notes = from_log(tmp_path / "a.mcap", car(sensors=EYE))
    assert (now == then) == (missing == 0)
    assert sum(a != b for a, b in zip(now, then, strict=True)) == missing
    assert len(notes) == (missing > 0)


def test_strangers_are_sent_away(tmp_path: Path) -> None:
    recorded(car(), tmp_path / "a.mcap")
    with Log(tmp_path / "a.mcap") as log, socket.create_server(("127.0.0.1", 0)) as listener:
        with pytest.raises(UberSimError, match=r"no robot 'Cat'.*Car, Other"):
            serve_log(log, "Cat", listener, print)
        thread = threading.Thread(target=serve_log, args=(log, "Car", listener, print), daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        with pytest.raises(RefusedError, match="replayed to 'Car', not to 'Dog'"):
            client(car(), port, name="Dog")
        client(car(), port)
        thread.join()


def test_the_command_line(tmp_path: Path) -> None:
    """`serve --record`, then `replay`, then `replay --serve`, as programs."""
    log, program = tmp_path / "run.mcap", str(Path(sys.executable).with_name("ubersim"))

    def run(*arguments: str) -> tuple[int, str]:
        with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            client(car(), int(line.rpartition(":")[2]))
            rest = process.stdout.read()
        return process.returncode, rest

    assert run("serve", "--port", "0", "--clients", "1", "--frames", "700", "--record", str(log))[0] == 0
    assert "frames 0 to 700: every body the same" in ubersim("replay", log).stdout
    code, text = run("replay", str(log), "--serve", "Car", "--port", "0")
    assert code == 0 and "700 frames" in text and "commands as recorded" in text
