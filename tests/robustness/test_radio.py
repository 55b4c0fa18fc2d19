"""Radios that many shout into: what is heard has a limit, and what is said is forgotten with those who said it."""

from __future__ import annotations

import struct

import pytest

from tests.robustness.programs import document
from ubersim.components.sensors.radio import LONGEST, MOST_HEARD, messages_in
from ubersim.components.sensors.unseen import UnseenReadings
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


@pytest.mark.parametrize("stamped", [False, True])
def test_who_missed_a_reading_hears_what_was_said_in_it(stamped: bool) -> None:
    with Simulation() as simulation:
        text = member("Ear", 0.0).replace("</RadioSensor>", f"<Stamped>{str(stamped).lower()}</Stamped></RadioSensor>")
        ear, mouth = simulation.spawn(text), simulation.spawn(member("Mouth", 2.0))
        unseen = UnseenReadings({name: channel.description for name, channel in ear.sensors.items()})
        for number in range(3 * MOST_HEARD // LONGEST):
            mouth.send("Radio", bytes([number]) * LONGEST)
            simulation.step()
            unseen.add(ear.readings)
        ((heard,), captured) = [payload for name, payload in unseen.take() if name == "Radio"], ear.captured[-1]
        if stamped:
            assert struct.unpack("<d", heard[:8]) == (captured * simulation.step_size,)
        messages = messages_in(heard[8 * stamped :])
        assert len(messages) == MOST_HEARD // (LONGEST + 8)
        assert [message[0] for _, message in messages] == [*range(number + 1 - len(messages), number + 1)]


def test_teams_that_have_gone_have_no_channel() -> None:
    with Simulation() as simulation:
        for number in range(5):
            simulation.spawn(member("R", 0.0, f"team{number}"))
            simulation.step()
            assert simulation.radios.teams == 1
            simulation.remove("R")
        assert simulation.radios.teams == 0
