"""Players inside the server: the same bits as over TCP, and nobody suffers from another one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.helpers.serving import Serving
from tests.league.robots import box
from ubersim.client.supervisor import supervise
from ubersim.errors import UberSimError
from ubersim.league import watchdog
from ubersim.league.equipment import Equipment, equipped
from ubersim.league.inside_players import InsideRobot, Players
from ubersim.league.player import SoccerPlayer, known_players, make_player
from ubersim.league.player_robot import PlayerRobot
from ubersim.league.remote import play
from ubersim.recording import Recorder
from ubersim.recording.log import Log
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Command, Robot


class Nodding:
    """Says something in every frame that it looks at, and paints itself."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.calls = 0

    def sense_and_act(self, me: PlayerRobot) -> None:
        self.calls += 1
        self.heard += [message for _, message in me.messages]
        me.broadcast(b"%d" % self.calls)
        me.set("Hull", "Red", 0.5)


class Failing:
    def sense_and_act(self, me: PlayerRobot) -> None:
        if me.time > 0.05:
            raise ValueError("no idea what to do")


class Hanging:
    def sense_and_act(self, me: PlayerRobot) -> None:
        while me.time > 0.05:
            pass


class Flooding:
    def sense_and_act(self, me: PlayerRobot) -> None:
        for _ in range(1000):
            me.broadcast(b"noise")


class Leaving:
    def sense_and_act(self, me: PlayerRobot) -> None:
        if me.time > 0.05:
            me.leave()


def place(x: float) -> str:
    return f"<x>{x}</x><y>0</y><z>0.3</z>"


def together(bad: SoccerPlayer | None, tmp_path: Path | None = None) -> tuple[bytes, Nodding, dict[str, str]]:
    """Two that nod, and one between them; where the first is in the end, to the bit."""
    ended: dict[str, str] = {}
    simulation = Simulation("ground")
    players = Players(simulation, limit=1000, told=ended.__setitem__)
    first, second = Nodding(), Nodding()
    players.start(first, box("A", "red", place=place(0)))
    players.start(second, box("B", "red", place=place(5)))
    if bad is not None:
        players.start(bad, box("C", "red", place=place(10)))
    if tmp_path is not None:
        with Recorder(simulation, tmp_path / "log.mcap"):
            simulation.step(200)
    else:
        simulation.step(200)
    players.close()
    return simulation.body("A").position.tobytes(), first, ended


@pytest.mark.parametrize(
    ("bad", "why"),
    [(Failing(), "no idea what to do"), (Hanging(), "took too long"), (Leaving(), "it left"), (Flooding(), "")],
    ids=lambda value: type(value).__name__,
)
def test_what_one_player_does_is_nothing_to_the_others(bad: SoccerPlayer, why: str) -> None:
    where, alone, _ = together(None)
    again, first, ended = together(bad)
    assert again == where
    assert first.calls == alone.calls > 15
    assert [message for message in first.heard if message != b"noise"] == alone.heard
    assert why in ended["C"] if why else ended == {}


def test_calls_in_time_leave_the_interpreter_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[object] = []
    monkeypatch.setattr(watchdog, "_raise_in", lambda *what: raised.append(what))
    dog = watchdog.Watchdog(60.0)
    assert all(dog.guard(lambda: None) for _ in range(10))
    dog.close()
    assert raised == []


def test_a_call_that_was_ended_leaves_the_interpreter_alone() -> None:
    """Debuggers, profilers and coverage go on working after it: they would spin for ever in the next call."""
    seen: list[str] = []

    def hang() -> None:
        while True:
            pass

    def trace(frame: FrameType, event: str, argument: object) -> None:
        seen.append(event)

    def ended_and_traced() -> None:
        dog = watchdog.Watchdog(0.01)
        assert not dog.guard(hang)
        dog.close()
        before = sys.gettrace()
        sys.settrace(trace)
        (lambda: None)()
        sys.settrace(before)

    thread = threading.Thread(target=ended_and_traced, daemon=True)
    thread.start()
    thread.join(60)
    assert seen == ["call"]


def test_a_busy_machine_ends_nobody() -> None:
    """What counts is the time that a player works, not that in which the processor was somebody else's."""
    dog = watchdog.Watchdog(0.05)
    assert dog.guard(lambda: time.sleep(0.3)), "it slept for longer than the limit, and did nothing"
    dog.close()


def test_its_traceback_is_in_the_log(tmp_path: Path) -> None:
    together(Failing(), tmp_path)
    with Log(tmp_path / "log.mcap") as log:
        (label,) = [str(item) for item in log.items() if "player C ended" in str(item)]
    assert "Traceback" in label and "sense_and_act" in label


def chaser(name: str = "Hunter") -> str:
    from tests.helpers.paths import ROOT

    kit = Equipment(name, "red", 2, (0.5, -1.5), 0.0, level="objects", wheels="contact")
    return equipped((ROOT / "robots" / "msl_omni.xml").read_text(), kit, [name])


def test_the_same_class_has_the_same_bits_over_tcp() -> None:
    digests = []
    for inside in (True, False):
        simulation = Simulation("msl_12x8", step=0.002)
        if inside:
            Players(simulation).start(make_player("chaser"), chaser())
            simulation.step(600)
        else:
            serving = Serving(simulation, 600, clients=1)
            thread = threading.Thread(target=play, args=(make_player("chaser"), chaser(), "127.0.0.1", serving.port))
            thread.start()
            serving.result()
            thread.join()
        digests.append(simulation.digest())
    assert digests[0] == digests[1]
    assert abs(float(simulation.body("Ball").position[1])) > 0.05, "it has got to the ball"


def test_the_whole_truth_is_granted_or_not() -> None:
    seen: list[object] = []

    class Curious:
        def sense_and_act(self, me: PlayerRobot) -> None:
            seen.append(me.world)
            if me.world is not None:
                assert me.world.things() == ("A", "Ball")
                assert me.world.heading("A") == pytest.approx(0.0, abs=1e-6)
                me.world.put("Ball", (1.0, 1.0, 0.11))
                assert me.world.place("Ball")[0] == 1.0 and me.world.velocity("Ball")[0] == 0.0
                me.leave()

    for granted in (False, True):
        simulation = Simulation("msl_12x8")
        Players(simulation).start(Curious(), box("A", "red", place=place(3)), sees_all=granted)
        simulation.step(30)
    assert seen[0] is None and seen[-1] is not None
    assert float(simulation.body("Ball").position[0]) == pytest.approx(1.0)


def test_players_come_and_go_by_a_supervisors_command() -> None:
    serving = Serving(Simulation("ground"), None, clients=0)
    with supervise(port=serving.port) as boss:
        assert boss.player() == []
        assert boss.player("start", "walker", box("A", "red"), options=["speed=0.5"]) == ["A"]
        for wrong, reason in (("os:system", "no name of an installed"), ("wlker", "did you mean walker")):
            with pytest.raises(UberSimError, match=reason):
                boss.player("start", wrong, box("B", "red"))
        with pytest.raises(UberSimError, match="does not take"):
            boss.player("start", "walker", box("B", "red"), options=["colour=3"])
        assert boss.player("stop", name="A") == []
        assert "A" not in serving.simulation.robots
    serving.server.stop()
    serving.result()


def test_those_that_come_along() -> None:
    assert set(known_players()) >= {"goalkeeper", "chaser", "dribbler", "team", "walker"}
    for name in known_players():
        assert callable(make_player(name).sense_and_act)
    with pytest.raises(UberSimError, match="no policy 'lazy'"):
        make_player("goalkeeper", {"policy": "lazy"})


@pytest.mark.parametrize(
    "back", [lambda simulation, _: simulation.reset(), Simulation.restore], ids=["reset", "restored"]
)
def test_players_go_on_with_robots_that_were_made_anew(back: Callable[[Simulation, Any], None]) -> None:
    obeyed: list[tuple[str, int]] = []

    class Executed(Observer):
        def executed(self, robot: Robot, commands: Sequence[Command]) -> None:
            obeyed.extend((robot.name, id(robot)) for _ in commands)

    simulation = Simulation("ground")
    players = Players(simulation)
    first, second = Nodding(), Nodding()
    players.start(first, box("A", "red", place=place(0)))
    players.start(second, box("B", "red", place=place(5)))
    beginning = simulation.snapshot()
    simulation.step(50)
    simulation.remove("B")
    simulation.step(50)
    assert players.names() == ["A"], "the robot of the other was taken away"
    old, calls = simulation.robots["A"], first.calls
    back(simulation, beginning)
    new = simulation.robots["A"]
    assert new is not old
    simulation.observers.append(Executed())
    simulation.step(50)
    assert players.names() == ["A"] and first.calls > calls
    assert ("A", id(new)) in obeyed and ("A", id(old)) not in obeyed
    players.close()


def test_a_player_over_tcp_may_leave() -> None:
    class Reading:
        def sense_and_act(self, me: PlayerRobot) -> None:
            state = me.read("Referee.state")
            assert state is None or state == 0
            if me.time > 0.05:
                me.leave()

    serving = Serving(Simulation("ground"), 200, clients=1)
    play(Reading(), box("A", "red"), port=serving.port)
    serving.server.stop()
    assert 50 < serving.result().frame < 200


def test_a_seat_reads_and_sends_as_a_client_does() -> None:
    simulation = Simulation("ground")
    robot = simulation.spawn(box("A", "red"))
    inside = InsideRobot(robot, simulation.step_size)
    me = PlayerRobot(inside, team="red", number=1, seed=0)
    assert me.read("Referee") is None
    me.send("Radio", b"hello")
    inside.set_latency(7.0)
    robot.commands.ack(simulation.frame)
    assert robot.commands.next_frame == simulation.frame


def test_without_a_ball_in_sight_nobody_runs() -> None:
    """On a field without a ball a chaser and a dribbler stand where they began."""
    for name in ("chaser", "dribbler"):
        simulation = Simulation("ground")
        players = Players(simulation)
        players.start(make_player(name), chaser("Alone"))
        simulation.step(200)
        players.close()
        assert float(abs(simulation.body("Alone").linear_velocity).max()) < 0.01
