"""Client programs that run from the log of a run in which a supervisor had its hands."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.recording_clients import EYE, client, from_log
from tests.helpers.recording_robots import LATENCY, car
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.errors import UberSimError
from ubersim.recording import Log, Recorder, replay
from ubersim.recording.block import Block
from ubersim.server import Server
from ubersim.simulation import Simulation

Act = Callable[[Supervisor], None]
FRAMES = 900
CONSTANT = "<Latency>5</Latency>"


def nothing(supervisor: Supervisor) -> None:
    """Just there."""


def recorded(document: str, path: Path, before: Act, during: Act = nothing, images: int = 0) -> list[object]:
    """What a client has read; the supervisor acts before it comes, and when it is there."""
    read: list[object] = []
    simulation = Simulation(seed=8)
    with Recorder(simulation, path, images=images), Server(simulation, port=0, clients=1) as server:
        port = server.address[1]
        serving = threading.Thread(target=server.run, args=(FRAMES,), daemon=True)
        serving.start()
        with supervise(port=port) as supervisor:
            before(supervisor)
            supervisor.truth()  # all that is scheduled has come before any frame
            driving = threading.Thread(target=lambda: read.extend(client(document, port)), daemon=True)
            driving.start()
            during(supervisor)
            serving.join(60 if during is nothing else 0)
        serving.join(60)
        assert not serving.is_alive()
    driving.join(60)
    with Log(path) as log:
        assert replay(log) is None
    return read


def commands_of_the_car(path: Path) -> int:
    """All that were executed, whoever gave them."""
    with Log(path) as log:
        blocks = [item for item in log.items() if isinstance(item, Block)]
    return sum(block.components[row["component"]][0] == "Car" for block in blocks for row in block.commands)


def there_and_back(supervisor: Supervisor) -> None:
    """Frames 0 to 500, 300 to 800, 0 to 900; the latency is another in each.

    The client speaks in the frames 3, 8, 13 and so on: in 203 for the last time with the old latency, in 403 for the
    first time with the new one.
    """
    supervisor.set_latency("Car", 12.0, frame=202)
    supervisor.snapshot("s", frame=300)
    supervisor.set_latency("Car", 4.0, frame=401)
    supervisor.set("Car", "LMotor", "FMax", 1.0, frame=423)
    supervisor.restore("s", frame=500)
    supervisor.set_latency("Car", 0.0, frame=652)
    supervisor.reset(frame=800)
    supervisor.set_latency("Car", 9.0, frame=851)


@pytest.mark.parametrize("latency", [LATENCY, CONSTANT, "<Latency>0</Latency>"])
def test_a_client_lives_through_what_a_supervisor_did(tmp_path: Path, latency: str) -> None:
    then = recorded(car(latency), tmp_path / "a.mcap", there_and_back)
    outcome, now, notes = from_log(tmp_path / "a.mcap", car(latency))
    assert now == then
    assert len(now) == 501 + 500 + 900  # frames 500 and 800 were sent, but never executed
    assert (outcome.frames, outcome.difference, notes) == (500 + 500 + 900, "", [])
    assert outcome.commands == commands_of_the_car(tmp_path / "a.mcap") - 1 > 500  # one was the supervisor's


@pytest.mark.parametrize(
    "mistake, frame",
    [
        (450, "frame 457 (0.457 s)"),  # the reading of 0.450 s arrives 3 ms later, the latency is the supervisor's 4 ms
        (550, "frame 565 (0.565 s, for the client 0.365 s)"),  # restored, with 12 ms
        (1101, "frame 1108 (1.108 s, for the client 0.108 s)"),  # reset, with the document's 5 ms
        (1881, "frame 1892 (1.892 s, for the client 0.892 s)"),  # and again the supervisor's
    ],
)
def test_another_client_is_told_apart(tmp_path: Path, mistake: int, frame: str) -> None:
    recorded(car(CONSTANT), tmp_path / "a.mcap", there_and_back)
    outcome, now, _ = from_log(tmp_path / "a.mcap", car(CONSTANT), mistake=mistake)
    assert len(now) == 1901 and outcome.frames == 1900
    assert outcome.difference.startswith(f"{frame}: then LMotor.Vel = ")
    assert outcome.difference.count("RMotor") == 1


def test_pictures_of_both_times(tmp_path: Path) -> None:
    """The last one before the reset and the first one after it belong to the same frame of the log."""
    then = recorded(car(sensors=EYE), tmp_path / "a.mcap", there_and_back, images=1)
    outcome, now, notes = from_log(tmp_path / "a.mcap", car(sensors=EYE))
    assert now == then
    assert (outcome.difference, notes) == ("", [])
    first = now[1001]
    assert isinstance(first, tuple) and first[0] == 0.0 and "Eye" in first[1]


def test_the_robot_is_made_anew(tmp_path: Path) -> None:
    """As there was another one, which the snapshot does not know, all robots leave and join."""

    def act(supervisor: Supervisor) -> None:
        supervisor.snapshot("alone", frame=100)
        supervisor.set_latency("Car", 20.0, frame=140)
        supervisor.spawn(car(), name="Other", position=(2.0, 0.0, 0.2), frame=150)
        supervisor.restore("alone", frame=250)

    then = recorded(car(sensors=EYE), tmp_path / "a.mcap", act, images=1)
    outcome, now, _ = from_log(tmp_path / "a.mcap", car(sensors=EYE))
    assert now == then and len(now) == 251 + 799
    assert (outcome.frames, outcome.difference) == (250 + 800, "")


def test_the_robot_is_not_in_the_snapshot(tmp_path: Path) -> None:
    def act(supervisor: Supervisor) -> None:
        supervisor.snapshot("empty")
        supervisor.restore("empty", frame=250)
        supervisor.resume()

    then = recorded(car(), tmp_path / "a.mcap", act)
    outcome, now, _ = from_log(tmp_path / "a.mcap", car())
    assert now == then and len(now) == 251 + 1
    assert now[-1] == "a supervisor has taken this robot out of the world"
    assert outcome.ended == f"{now[-1]} (frame 250)"
    assert (outcome.frames, outcome.difference) == (250, "")


def test_the_robot_is_taken_away_right_before(tmp_path: Path) -> None:
    """The one that the snapshot brings back in the same frame has no client."""

    def act(supervisor: Supervisor) -> None:
        supervisor.snapshot("s", frame=100)
        supervisor.remove("Car", frame=250)
        supervisor.restore("s", frame=250)
        supervisor.resume()

    then = recorded(car(), tmp_path / "a.mcap", act)
    outcome, now, _ = from_log(tmp_path / "a.mcap", car())
    assert now[:-1] == then[:-1] and len(now) == 251 + 1
    assert outcome.ended == "its robot left the world (frame 250)"
    assert (outcome.frames, outcome.difference) == (250, "")


def test_a_reset_in_the_frame_of_joining(tmp_path: Path) -> None:
    """The client gets frame 0 twice, with readings each time."""

    def reset(supervisor: Supervisor) -> None:
        while "Car" not in supervisor.truth().legend["robots"]:
            pass
        supervisor.reset()

    then = recorded(car(sensors=EYE), tmp_path / "a.mcap", Supervisor.pause, reset, images=1)
    outcome, now, _ = from_log(tmp_path / "a.mcap", car(sensors=EYE))
    assert now == then and len(now) == 1 + FRAMES
    assert now[0] == now[1] and "Eye" in str(now[1])
    assert (outcome.frames, outcome.difference) == (FRAMES, "")


def test_a_restore_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows what became of the client: that is where it ends."""

    def fail(*_: object) -> None:
        raise UberSimError("no room")

    simulation = Simulation()
    with Recorder(simulation, tmp_path / "a.mcap"):
        simulation.spawn(car())
        before = simulation.snapshot()
        simulation.spawn(car(), name="Other")
        simulation.step(100)
        monkeypatch.setattr(simulation, "add", fail)
        with pytest.raises(UberSimError, match="no room"):
            simulation.restore(before)
        simulation.step(100)
    outcome, now, _ = from_log(tmp_path / "a.mcap", car())
    assert outcome.frames == 100 and len(now) == 101 + 1
    assert outcome.ended == f"{now[-1]} (frame 100)" and "a restore failed" in outcome.ended
