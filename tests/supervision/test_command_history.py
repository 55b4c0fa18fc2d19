"""What those who watch are told of commands: when they were sent and when they act, the robot's latency apart."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.robots import cart
from ubersim.protocol.properties import JOINT_PROPERTIES
from ubersim.simulation import Simulation
from ubersim.supervision import CommandContext
from ubersim.supervision.command_history import KEPT, CommandHistory
from ubersim.supervision.commands.set_property import Set

VEL = JOINT_PROPERTIES["Vel"]


def test_commands_are_told_with_when_they_were_sent_and_act() -> None:
    simulation = Simulation()
    history = CommandHistory(simulation)
    with simulation:
        robot = simulation.spawn(cart(latency="5"))
        history.watch(["Cart/Motor"])
        for frame in range(10):
            robot.command("Motor", "Vel", float(frame))
            simulation.step(1)
        rows = history.rows("Cart/Motor")
        assert (rows[:, 0] == VEL).all()
        assert rows[:, 1] == pytest.approx(np.arange(10) * 0.001)
        assert rows[:, 2] - rows[:, 1] == pytest.approx(np.full(10, 0.005))
        assert rows[:, 3].tolist() == list(range(10))
        assert (rows[:, 2] < simulation.time).sum() == 5, "the others are under way"
        Set(robot="Cart", component="Motor", property_="Vel", value=9.5).execute(CommandContext(simulation, {}))
        last = history.rows("Cart/Motor")[5]
        assert last[3] == 9.5 and last[1] == last[2], "a supervisor's take no time"
        assert not len(history.rows("Cart/Nothing"))


def test_history_is_bounded_and_forgets_what_was_undone() -> None:
    simulation = Simulation()
    history = CommandHistory(simulation)
    with simulation:
        robot = simulation.spawn(cart())
        snapshot = simulation.snapshot()
        history.watch(f"Cart/Other{number}" for number in range(100))
        history.watch(["Cart/Motor"])
        assert len(history._executed) == 64
        for frame in range(KEPT + 20):
            robot.command("Motor", "Vel", float(frame % 7))
            simulation.step(1)
        assert len(history.rows("Cart/Motor")) == KEPT
        simulation.restore(snapshot)
        assert not len(history.rows("Cart/Motor"))
