"""Radios that many shout into: what is heard has a limit, and what is said is forgotten with those who said it."""

from __future__ import annotations

from tests.robustness.programs import document
from ubersim.components.sensors.radio import LONGEST, MOST_HEARD, messages_in
from ubersim.simulation import Simulation

SPEAKERS = 6
SAID = 16


def member(name: str, x: float, team: str = "home") -> str:
    return document(name, x=x, latency=0).replace("</CSettings>", f"<Team>{team}</Team></CSettings>")


def test_what_is_heard_at_once_has_a_limit_and_is_the_newest() -> None:
    with Simulation() as simulation:
        ear = simulation.spawn(member("Ear", 0.0))
        speakers = [simulation.spawn(member(f"S{number}", 2.0 + number)) for number in range(SPEAKERS)]
        for number in range(SAID):
            for one in speakers:
                one.send("Radio", bytes([number]) * LONGEST)
        simulation.step()
        (heard,) = (payload for name, payload in ear.readings if name == "Radio")
        assert MOST_HEARD - LONGEST - 100 < len(heard) <= MOST_HEARD
        assert messages_in(heard)[-1] == (f"S{SPEAKERS - 1}", bytes([SAID - 1]) * LONGEST)


def test_teams_that_have_gone_have_no_channel() -> None:
    with Simulation() as simulation:
        for number in range(5):
            simulation.spawn(member("R", 0.0, f"team{number}"))
            simulation.step()
            assert simulation.airwaves.teams == 1
            simulation.remove("R")
        assert simulation.airwaves.teams == 0
