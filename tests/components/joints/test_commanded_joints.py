"""What commands may set joints to: what documents may set them to, and stops in whatever order they come."""

from __future__ import annotations

import pytest

from tests.helpers.robots import cart
from ubersim.description import read_robot
from ubersim.errors import DescriptionError, RemoteProtocolError, UberSimError
from ubersim.simulation import Simulation

LIMITS = {"Vel": 1e6, "FMax": 1e9, "CFM": 1e3}


@pytest.mark.parametrize("name", LIMITS)
def test_commands_and_documents_have_the_same_limits(name: str) -> None:
    robot = Simulation().spawn(cart())
    robot.command("Motor", name, LIMITS[name])
    beyond = 1.001 * LIMITS[name]
    with pytest.raises(UberSimError, match=rf"{name} of 'Motor' cannot be"):
        robot.command("Motor", name, beyond)
    with pytest.raises(DescriptionError, match="out of range"):
        read_robot(cart().replace("<FMax>5</FMax>", f"<{name}>{beyond}</{name}>"))


def test_stops_move_past_each_other_and_hold_again() -> None:
    """While the lower is above the upper there is none, as in ODE: a program may set one, then the other."""
    simulation = Simulation()
    simulation.spawn(cart("Other", x=5.0))
    robot = simulation.spawn(cart())
    for low, high in ((-0.1, 0.1), (0.4, 0.5), (-0.5, -0.4), (-0.1, 0.1)):
        robot.command("Motor", "LoStop", low)
        simulation.step(50)
        robot.command("Motor", "HiStop", high)
        robot.command("Motor", "Vel", 5.0 if high > robot.joints["Motor"].position() else -5.0)
        robot.command("Motor", "StopERP", 0.8)
        simulation.step(400)
        assert low - 0.01 < robot.joints["Motor"].position() < high + 0.01
    robot.command("Motor", "LoStop", 0.3)
    robot.command("Motor", "HiStop", -0.3)
    robot.command("Motor", "Vel", 3.0)
    simulation.step(1000)
    assert robot.joints["Motor"].rate() == pytest.approx(3.0, abs=1e-3)


@pytest.mark.parametrize("stop", ["LoStop", "HiStop"])
def test_stops_lie_anywhere_but_beyond_all_numbers(stop: str) -> None:
    robot = Simulation().spawn(cart())
    robot.command("Motor", stop, 1e10)
    with pytest.raises(RemoteProtocolError, match=rf"Motor: hinge {stop} is 1e\+15, allowed is -1e\+12 to 1e\+12"):
        robot.command("Motor", stop, 1e15)
