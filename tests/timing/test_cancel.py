"""Commands that are taken back: what is out of reach, and that nothing depends on how far the server is."""

from __future__ import annotations

import random

import pytest

from ubersim.errors import RemoteProtocolError
from ubersim.timing.cancellations import MOST as MAX_CANCELS
from ubersim.timing.latency import Constant, LatencyModel, generator
from ubersim.timing.lockstep import CommandSchedule
from ubersim.timing.uniform import Uniform

Command = tuple[str, int]


def schedule(model: LatencyModel) -> CommandSchedule[Command]:
    return CommandSchedule(model, 0.001, generator(3), component=lambda command: command[0])


def executed(commands: CommandSchedule[Command], frames: int) -> list[tuple[int, Command]]:
    """Everything up to a frame, acknowledged one by one."""
    found = []
    for frame in range(commands.acked + 1, frames):
        commands.ack(frame)
        found += [(frame, command) for command in commands.due(frame)]
    return found


def test_what_is_held_and_what_is_under_way() -> None:
    commands = schedule(Constant(5))
    commands.ack(9)
    for stamp in (10, 11, 14, 20, 30):
        commands.receive(stamp, ("A", stamp))
        commands.receive(stamp, ("B", stamp))
    commands.cancel("A", 25)
    assert executed(commands, 50) == [
        (15, ("A", 10)), (15, ("B", 10)), (16, ("A", 11)), (16, ("B", 11)), (19, ("A", 14)), (19, ("B", 14)),
        (25, ("B", 20)), (35, ("B", 30)),
    ]  # fmt: skip


def test_it_takes_the_latency_itself() -> None:
    commands = schedule(Constant(5))
    for stamp in range(12):
        commands.receive(stamp, ("A", stamp))
    commands.cancel("", 0, stamp=4)  # is there at 9
    commands.receive(6, ("A", 100))
    assert executed(commands, 30) == [(stamp + 5, ("A", stamp)) for stamp in range(4)] + [(11, ("A", 100))]


def test_what_comes_after_it_stays() -> None:
    commands = schedule(Constant(0))
    commands.receive(8, ("A", 1))
    commands.cancel("", 0)
    commands.receive(8, ("A", 2))
    commands.cancel("B", 0)
    commands.receive(9, ("B", 3))
    assert executed(commands, 20) == [(8, ("A", 2)), (9, ("B", 3))]


def test_a_stale_stamp_and_too_many_are_refused() -> None:
    commands = schedule(Constant(0))
    commands.ack(5)
    with pytest.raises(RemoteProtocolError, match="stale"):
        commands.cancel("", 0, stamp=5)
    commands.receive(5000, ("A", 1))
    for number in range(MAX_CANCELS):
        commands.cancel(f"C{number}", 10)
    with pytest.raises(RemoteProtocolError, match=f"more than {MAX_CANCELS} cancellations"):
        commands.cancel("D", 10)
    commands.cancel("", 10)  # says all that, and more


@pytest.mark.parametrize("seed", range(8))
def test_nothing_depends_on_when_the_server_executes(seed: int) -> None:
    """One server executes each frame as soon as it may, another as late as it can; one is restored now and then."""
    chance = random.Random(seed)
    model = Uniform(2, 9)
    eager, lazy, restored = (schedule(model) for _ in range(3))
    done: list[list[tuple[int, Command]]] = [[], [], []]
    frames = [0, 0, 0]

    def run(which: int, commands: CommandSchedule[Command], until: int) -> None:
        while frames[which] <= until:
            done[which] += [(frames[which], command) for command in commands.due(frames[which])]
            frames[which] += 1

    for frame in range(300):
        for _ in range(chance.randrange(3)):
            stamp, command = frame + chance.choice([0, 0, 1, 5, 20]), (chance.choice("AB"), frame)
            for commands in (eager, lazy, restored):
                commands.receive(stamp, command)
        if chance.random() < 0.2:
            component, first = chance.choice(["", "A", "B"]), frame + chance.randrange(30)
            stamp = frame + chance.choice([0, 0, 7])
            for commands in (eager, lazy, restored):
                commands.cancel(component, first, stamp)
        for commands in (eager, lazy, restored):
            commands.ack(frame)
        run(0, eager, eager.horizon)
        run(1, lazy, min(lazy.horizon, frame))
        run(2, restored, restored.horizon)
        if chance.random() < 0.1:
            state = restored.state()
            restored = schedule(model)
            restored.restore(state, lambda plain: (plain[0], plain[1]))
    run(1, lazy, lazy.horizon)
    assert done[0] == done[1] == done[2] and len(done[0]) > 100


def test_commands_that_another_does_not_know_are_not_lent() -> None:
    """Nor are they lost: the schedule goes on with them by itself."""
    ours = schedule(Constant(0.0))
    ours.receive(5, ("Arm", 1))
    assert ours.lend(lambda command: command[0] != "Arm") is None
    ours.ack(10)
    assert [command for frame in range(11) for command in ours.due(frame)] == [("Arm", 1)]
