"""Supervisors and the last bit: watching changes nothing, commands and restored time come out the same."""

from __future__ import annotations

import contextlib
import io
import math
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.errors import RefusedError, UberSimError
from ubersim.protocol import Ack, Command
from ubersim.recording import Log, Recorder, replay
from ubersim.simulation import Simulation

Act = Callable[[Supervisor], None]
FRAMES = 300


class Program(threading.Thread):
    """A robot's program whose commands depend on nothing but the frames that it is sent."""

    def __init__(self, port: int, name: str = "Cart", *, x: float = 0.0, latency: str = "0") -> None:
        super().__init__(daemon=True)
        self.times: list[float] = []
        self.refusal = ""
        self._document, self._port = cart(name, x=x, latency=latency), port
        self.start()

    def run(self) -> None:
        with connect(self._document, port=self._port) as robot:
            try:
                for frame in robot:
                    self.times.append(frame.time)
                    tilt = float(frame["Tilt"]) if "Tilt" in frame else 0.0
                    robot.set("Motor", "Vel", 3.0 * math.sin(40.0 * frame.time) + tilt)
            except RefusedError as error:
                self.refusal = str(error)


def supervised(serve: Any, act: Act, *, latency: str = "7", **options: Any) -> list[str]:
    """The digest of a run of two robots, under a supervisor who is there from the beginning."""
    digest = io.StringIO()
    serving = serve(FRAMES, clients=2, digest=digest, **options)
    with supervise(port=serving.port) as supervisor:
        act(supervisor)
        supervisor.truth()  # all that is scheduled has come before any frame
        programs = [Program(serving.port, name, x=x, latency=latency) for name, x in (("A", 0.0), ("B", 0.35))]
        for program in programs:
            program.join(60)
    serving.result()
    return digest.getvalue().splitlines()


def nothing(supervisor: Supervisor) -> None:
    """Just there."""


def watch_every_frame(supervisor: Supervisor) -> None:
    """And never reads."""
    supervisor.watch(every=1, contacts=True)


def watch_by_the_clock(supervisor: Supervisor) -> None:
    supervisor.watch(hertz=500)


def meddle(supervisor: Supervisor) -> None:
    """Everything in the frame that it is meant for."""
    supervisor.set_latency("A", 2.0, frame=30)
    supervisor.push("A/Base", (0.0, 0.0, 60.0), 0.05, frame=60)
    supervisor.set_latency("B", 31.0, frame=80)
    supervisor.teleport("B", (2.0, 0.0, 0.5), heading=1.0, frame=100)
    supervisor.set("A", "Motor", "FMax", 0.5, frame=120)
    supervisor.set_latency("A", 0.0, frame=150)
    supervisor.snapshot("s", frame=160)
    supervisor.spawn(cart("C"), position=(0.0, 0.0, 2.0), frame=170)
    supervisor.restore("s", frame=200)
    supervisor.rate(0.0)


def back_to_50(supervisor: Supervisor) -> None:
    supervisor.snapshot("s", frame=50)
    supervisor.restore("s", frame=120)


def test_watching_changes_no_bit(serve: Any) -> None:
    alone = io.StringIO()
    serving = serve(FRAMES, clients=2, digest=alone)
    for name, x in (("A", 0.0), ("B", 0.35)):
        Program(serving.port, name, x=x, latency="7")
    serving.result()
    lines = alone.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == [str(frame) for frame in range(FRAMES)]
    for act in (nothing, watch_every_frame, watch_by_the_clock):
        assert supervised(serve, act) == lines


def test_commands_come_out_the_same_however_far_the_server_runs_ahead(serve: Any) -> None:
    first = supervised(serve, meddle)
    assert [line.split()[0] for line in first[199:202]] == ["199", "160", "161"]
    assert supervised(serve, meddle, lookahead=False) == first
    assert supervised(serve, meddle) == first
    assert supervised(serve, nothing) != first


def test_restored_time_goes_on_the_same(serve: Any) -> None:
    """Clients without a memory see the same frames again, and everything is as it was."""
    lines = supervised(serve, back_to_50)
    at_50 = lines.index(next(line for line in lines if line.startswith("50 ")))
    back = lines.index(lines[at_50], at_50 + 1)
    assert back == 120  # the line of frame 120 would have been here
    assert lines[back : back + 70] == lines[at_50 : at_50 + 70]


def test_reset_begins_anew(serve: Any) -> None:
    lines = supervised(serve, lambda s: s.reset(frame=70))
    assert lines[70:] == supervised(serve, nothing)


def test_a_log_of_a_supervised_run_replays(serve: Any, tmp_path: Path) -> None:
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "run.mcap"):
        lines = supervised(serve, meddle, simulation=simulation)
    assert lines == supervised(serve, meddle)
    with Log(tmp_path / "run.mcap") as log:
        assert replay(log) is None


def test_latency_counts_from_the_frame_after_the_next(serve: Any) -> None:
    """One command per frame, telling the frame; which of them is in force when, shows on the joint."""
    simulation = Simulation()
    serving = serve(simulation=simulation)
    with supervise(port=serving.port) as supervisor:
        supervisor.pause()
        client = RawClient(serving.port, cart(x=0.0, latency="10"))
        client.welcome()
        while not simulation.robots:
            time.sleep(0.01)

        def drive() -> None:
            with contextlib.suppress(OSError):  # the test ends it
                while (frame := client.frame()) is not None:
                    client.send(Command("Motor", 2, round(frame[0] / 0.001)), Ack(frame[0]))

        threading.Thread(target=drive, daemon=True).start()
        joint = simulation.robots["Cart"].joints["Motor"]
        supervisor.set_latency("Cart", 3.0, frame=50)
        supervisor.step(60)
        in_force = {}
        for frame in range(61, 70):
            supervisor.step(1)
            in_force[frame - 1] = joint.get(2)
        # Commands stamped 51 and before arrive after 10 frames, those from 52 on after 3; none overtakes another.
        assert in_force[60] == 50.0
        assert in_force[61] == 58.0
        assert [in_force[frame] for frame in range(62, 69)] == [frame - 3 for frame in range(62, 69)]
        client.close()


def test_removed_robots_leave_with_a_word(serve: Any) -> None:
    serving = serve()
    with supervise(port=serving.port) as supervisor:
        supervisor.pause()
        program, other = Program(serving.port, "A"), Program(serving.port, "B", x=2.0)
        while len(supervisor.truth().legend["robots"]) < 2:
            time.sleep(0.01)
        supervisor.step(20)
        supervisor.remove("A")
        program.join(60)
        assert "a supervisor has taken this robot out" in program.refusal
        supervisor.step(20)
        assert list(supervisor.truth().legend["robots"]) == ["B"]
        with pytest.raises(UberSimError, match="no robot 'A'"):
            supervisor.set("A", "Motor", "Vel", 1.0)
    assert other.is_alive()


def test_robots_that_join_a_world_at_rest_are_in_that_frame(serve: Any) -> None:
    serving = serve()
    with supervise(port=serving.port) as supervisor:
        supervisor.step(25)
        program = Program(serving.port)
        while not program.times:
            time.sleep(0.01)
        assert supervisor.truth().frame == 25
        supervisor.step(3)
        while len(program.times) < 4:
            time.sleep(0.01)
        assert program.times == pytest.approx([0.025, 0.026, 0.027, 0.028])


def test_a_client_that_hangs_does_not_silence_the_supervisor(serve: Any) -> None:
    serving = serve()
    client = RawClient(serving.port, cart(x=0.0))
    client.welcome()
    client.frame()  # and no ack
    with supervise(port=serving.port) as supervisor:
        assert supervisor.truth().frame == 0
        supervisor.pause()
        supervisor.remove("Cart")
        assert supervisor.step(5) == 5
    client.close()


def test_who_does_not_read_misses_pictures_and_holds_up_nobody(serve: Any) -> None:
    simulation = Simulation()
    serving = serve(simulation=simulation)
    with supervise(port=serving.port) as lazy, supervise(port=serving.port, name="busy") as busy:
        busy.pause()
        for number in range(40):
            busy.spawn(cart(f"R{number}", x=float(number)))
        lazy._connection._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        lazy.watch(every=1)
        busy.step(1200)  # as many pictures of 8 KB are more than sockets hold
        frames: list[int] = []
        while not frames or frames[-1] < 1200:  # the newest is never lost
            picture = lazy.next_truth(60.0)
            assert picture is not None
            frames.append(picture.frame)
        assert frames == sorted(frames)
        assert len(frames) < 1200


def test_one_may_resume_what_another_paused(serve: Any) -> None:
    serving = serve()
    with supervise(port=serving.port) as one, supervise(port=serving.port, name="two") as two:
        one.pause()
        stepping = threading.Thread(target=one.step, args=(10**9,), daemon=True)
        stepping.start()
        until(lambda: two.truth().frame > 0)  # it has begun
        two.pause()  # ends the step
        stepping.join(60)
        assert not stepping.is_alive()
        frame = two.truth().frame
        assert frame < 10**9
        assert two.step(1) == frame + 1
