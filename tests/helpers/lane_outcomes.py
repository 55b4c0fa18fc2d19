"""What can be seen of a run from outside, to be compared between the lanes."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import Any

from tests.helpers.lane_scripts import Script, run_all, settled
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from ubersim.server import Server
from ubersim.server.native_lane import Lane
from ubersim.simulation import Simulation

FRAMES = 40


@dataclass
class Outcome:
    """All that can be seen of a run from outside."""

    digest: list[str]
    notes: list[str]
    frames: list[list[bytes]]
    errors: list[list[str]]


def played(scripts: list[Script], lane: Lane, *, lookahead: bool = True, frames: int = FRAMES) -> Outcome:
    scripts = [replace(script, received=b"") for script in scripts]
    digest, notes = io.StringIO(), list[str]()
    serving = Serving(
        Simulation(), frames, lane=lane, clients=len(scripts), digest=digest, lookahead=lookahead, note=notes.append
    )
    threads = run_all(scripts, serving.port)
    for thread in threads:
        thread.join(60)
    until(lambda: not serving.server.clients.sessions)
    serving.server.stop()  # where all have left, time stands still
    serving.result()
    messages = [script.messages() for script in scripts]
    return Outcome(
        digest.getvalue().splitlines(),
        sorted(settled(note) for note in notes if "joined" not in note),
        [[found for found in each if not found.startswith((b"Error\0", b"Welcome\0", b"End\0"))] for each in messages],
        [script.errors() for script in scripts if script.closes_after is None],  # who goes may not see them
    )


def states_after(scripts: list[Script], lane: Lane, frames: int) -> dict[str, Any]:
    """Everything that a snapshot keeps of the robots, when so many frames are over."""
    simulation = Simulation()
    with Server(simulation, port=0, clients=len(scripts), lane=lane) as server:
        threads = run_all(scripts, server.address[1])
        server.run(frames)
        states = {name: robot.state() for name, robot in simulation.robots.items()}
    for thread in threads:
        thread.join(60)
    return states


def assert_same(one: Outcome, other: Outcome) -> None:
    assert one.notes == other.notes
    assert one.errors == other.errors
    assert one.digest == other.digest
    for mine, yours in zip(one.frames, other.frames, strict=True):
        common = min(len(mine), len(yours))  # who is dismissed may have been sent more or fewer frames before
        assert mine[:common] == yours[:common]
