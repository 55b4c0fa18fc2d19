"""The referee in a simulation: what it does to the world, what robots, logs and supervisors hear of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.serving import Serving
from tests.league.robots import box
from ubersim.client.supervisor import supervise
from ubersim.components.sensors.radio import messages_in
from ubersim.description import read_robot
from ubersim.errors import UberSimError
from ubersim.league.referee import Referee
from ubersim.recording import Recorder
from ubersim.recording.log import Log
from ubersim.recording.replay import replay
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions

QUICK = {"ready": 0.05, "half": 1.0, "pause": 0.05}


def match(**more: object) -> tuple[Simulation, Referee]:
    simulation = Simulation("msl_12x8", step=0.005)
    for team in ("home", "away"):
        for number in (1, 2):
            simulation.spawn(box(f"{team}{number}", team, number))
    return simulation, Referee(simulation, changes=QUICK, **more)  # type: ignore[arg-type]


def kick(simulation: Simulation, place: tuple[float, float], velocity: tuple[float, float]) -> None:
    where = {"position": (*place, 0.11), "linear": (*velocity, 0.0)}
    Interventions(simulation).execute("Teleport", {"thing": "Ball", **where})


def place_of(simulation: Simulation, thing: str) -> list[float]:
    return [round(float(value), 2) for value in simulation.body(thing).position[:2]]


def test_a_goal_counts_and_the_teams_line_up() -> None:
    simulation, referee = match()
    simulation.step(20)
    assert place_of(simulation, "home1") == [0.0, -5.58]
    assert place_of(simulation, "away1") == [0.0, 5.58]
    kick(simulation, (0.8, 5.4), (0.0, 8.0))
    simulation.step(60)
    assert referee.status()["score"] == [1, 0]
    assert place_of(simulation, "Ball") == [0.0, 0.0]
    assert place_of(simulation, "away2") == [-0.24, 0.6], "whose kick-off it is now"
    reading = simulation.robots["away2"].read("Referee")
    assert isinstance(reading, np.ndarray)
    assert reading[[3, 4, 5, 11]].tolist() == [-1.0, 0.0, 1.0, 2.0]


def test_a_throw_in_makes_room() -> None:
    simulation, referee = match()
    simulation.step(20)
    kick(simulation, (0.24, -0.27), (0.0, 0.0))
    simulation.step(8)  # home2 is at it
    kick(simulation, (3.9, 0.3), (9.0, 0.0))
    Interventions(simulation).execute("Teleport", {"thing": "home2", "position": (3.0, 0.4, 0.0)})
    simulation.step(20)
    ruling = referee.rulings[-1][1] if referee.rulings[-1][1].kind != "whistle" else referee.rulings[-2][1]
    assert ruling.kind == "throw-in"
    assert place_of(simulation, "Ball")[0] == pytest.approx(3.85, abs=0.05)
    assert np.hypot(*np.subtract(place_of(simulation, "home2"), place_of(simulation, "Ball"))) > 1.9


def test_the_log_has_it_and_a_replay_does_it_again(tmp_path: Path) -> None:
    simulation, _ = match()
    with Recorder(simulation, tmp_path / "match.mcap"):
        simulation.step(20)
        kick(simulation, (0.8, 5.4), (0.0, 8.0))
        simulation.step(100)
    with Log(tmp_path / "match.mcap") as log:
        labels = [str(item) for item in log.items() if "referee" in str(item)]
        assert any("goal for home" in label and "1:0" in label for label in labels)
        assert replay(log) is None


def test_the_same_match_has_the_same_bits_however_it_is_stepped() -> None:
    digests = []
    for chunk in (1, 7, 140):
        simulation, _ = match()
        for _ in range(140 // chunk):
            simulation.step(chunk)
        digests.append(simulation.digest())
    assert len(set(digests)) == 1


def test_a_snapshot_brings_the_score_back() -> None:
    simulation, referee = match()
    simulation.step(30)
    kept = simulation.snapshot()
    referee.command("goal away")
    simulation.step(1)
    assert referee.judge.score["away"] == 1
    simulation.restore(kept)
    assert referee.judge.score["away"] == 0
    simulation.reset()
    assert referee.judge.decisions == 0


def test_clients_ask_only_where_the_match_allows_it() -> None:
    for allowed in (False, True):
        simulation, referee = match(clients_may_ask=allowed)
        simulation.step(20)
        simulation.robots["home1"].send("Referee", b"goal home")
        simulation.step(5)
        assert referee.judge.score["home"] == int(allowed)


def test_supervisors_see_and_steer_it() -> None:
    simulation, _ = match()
    serving = Serving(simulation, None, clients=0)
    with supervise(port=serving.port) as boss:
        boss.pause()
        boss.reset()  # the match may be over by now: it needs nobody
        boss.ask("Referee", do="goal", side="away")
        boss.step(5)
        told = boss.ask("Referee")["match"]
        assert (told["score"], told["home"], told["state"]) == ([0, 1], "home", "ready")
        with pytest.raises(UberSimError, match="needs a side"):
            boss.ask("Referee", do="goal")
    serving.server.stop()
    serving.result()


def test_without_a_field_there_is_nothing_to_referee() -> None:
    with pytest.raises(UberSimError, match="no Field"):
        Referee(Simulation("ground"))
    with pytest.raises(UberSimError, match="no rule 'haf'; did you mean half"):
        Referee(Simulation("msl_12x8"), changes={"haf": 3})


def test_a_team_hears_its_own_radio_late_and_not_all_of_it() -> None:
    simulation = Simulation("ground")
    ears = '<Latency model="uniform"><Min>20</Min><Max>20</Max><Loss>0.5</Loss></Latency>'
    a = simulation.spawn(box("A", "red", place="<x>0</x><y>0</y><z>0</z>"))
    others = {
        name: simulation.spawn(box(name, team, radio=ears if name == "C" else "", place=f"<x>{n}</x><y>0</y><z>0</z>"))
        for n, (name, team) in enumerate((("B", "red"), ("C", "red"), ("D", "blue")), start=1)
    }
    heard: dict[str, list[tuple[int, str, bytes]]] = {name: [] for name in others}
    for number in range(40):
        a.send("Radio", bytes([number]))
        for _ in range(10):
            simulation.step(1)
            for name, robot in others.items():
                found = [payload for sensor, payload in robot.readings if sensor == "Radio"]
                heard[name] += [(simulation.frame, *one) for payload in found for one in messages_in(payload)]
    assert [message for _, _, message in heard["B"]] == [bytes([number]) for number in range(40)]
    assert 5 < len(heard["C"]) < 35
    assert all(frame >= 10 * message[0] + 20 for frame, _, message in heard["C"])
    assert heard["D"] == []


def test_two_teams_have_two_names_and_a_field_has_its_ball() -> None:
    with pytest.raises(UberSimError, match="both teams are called 'us'"):
        Referee(Simulation("msl_12x8"), home="us", away="us")
    without = Simulation("msl_12x8")
    del without.objects["Ball"]
    with pytest.raises(UberSimError, match="this world has no object 'Ball', which its Field calls the ball"):
        Referee(without)


def test_an_onlooker_sees_the_match_with_the_eyes_of_the_home_team() -> None:
    _, referee = match()
    assert list(referee.reading("Nobody")) == [*list(referee.reading("home1"))[:-1], 0]


def test_messages_have_a_length() -> None:
    described = read_robot(box("A", "home"))
    for sensor, most in zip(described.sensors, ("it has", "a message has"), strict=True):
        with pytest.raises(ValueError, match=f"{most} up to"):
            sensor.decoded(bytes(2**20))
