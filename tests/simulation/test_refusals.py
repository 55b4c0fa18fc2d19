"""What a program asks of a simulation and cannot have is refused at once, with the name or the value that was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.helpers.robots import cart
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.simulation.robot import Robot


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation() as made:
        made.spawn(cart())
        yield made


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda robot: robot.set("Motr", "Vel", 1.0), "Cart has no component 'Motr'; did you mean Motor?"),
        (lambda robot: robot.set("Motor", "vel", 1.0), "Motor has no property 'vel'; did you mean Vel?"),
        (lambda robot: robot.set("Motor", "Vel", "fast"), "a property is set to a number, not to 'fast'"),
        (lambda robot: robot.set("Motor", "Vel", None), "not to None"),
        (lambda robot: robot.command("Motor", "Vel", "2"), "a property is set to a number, not to '2'"),
        (lambda robot: robot.set_latency(5, "Tlt"), "Cart has no sensor 'Tlt'"),
        (lambda robot: robot.set_latency(-1), "a latency must be between 0 and 60000 ms, not -1"),
        (lambda robot: robot.set_latency(-1, "Tilt"), "a latency must be between 0 and 60000 ms, not -1"),
        (lambda robot: robot.set_latency(1e9, "Tilt"), "a latency must be between 0 and 60000 ms, not 1e+09"),
        (lambda robot: robot.set_latency("12"), "a number of milliseconds, a model, or its element's text, not '12'"),
        (lambda robot: robot.set_latency("<Delay>3</Delay>"), "a latency is an element Latency, not Delay"),
    ],
)
def test_robots(simulation: Simulation, ask: Callable[[Robot], None], words: str) -> None:
    with pytest.raises(UberSimError) as caught:
        ask(simulation.robots["Cart"])
    assert words in str(caught.value)


def test_a_program_in_process_is_refused_at_once(simulation: Simulation) -> None:
    robot = LocalRobot(simulation, simulation.robots["Cart"])
    with pytest.raises(UberSimError, match="between 0 and 60000 ms, not -1"):
        robot.set_latency(-1)
    with pytest.raises(UberSimError, match="a program sets its latency in milliseconds, not '20'"):
        robot.set_latency("20")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda world: world.spawn(cart("B"), position=(0, 0)), "position is three numbers, x, y and z, not (0, 0)"),
        (lambda world: world.spawn(cart("B"), position=(0, 0, "a")), "position is three numbers"),
        (lambda world: world.spawn(cart("B"), position=(0, 0, float("nan"))), "position has to be finite"),
        (lambda world: world.push("Cart", (0, 1), 1.0), "force is three numbers, x, y and z, not (0, 1)"),
        (lambda world: world.push("Cart", (0, 1, 0), 1.0, (1, 2)), "point is three numbers"),
        (lambda world: world.push("Cart", (0, 1, 0), -1.0), "0 seconds or longer, not -1.0"),
        (lambda world: world.body("Cart/Bse"), "Cart has no body 'Bse'; did you mean Base?"),
        (lambda world: world.step(-1), "a step takes 0 frames or more, not -1"),
    ],
)
def test_the_world(simulation: Simulation, ask: Callable[[Simulation], Any], words: str) -> None:
    before = simulation.digest()
    with pytest.raises(UberSimError) as caught:
        ask(simulation)
    assert words in str(caught.value)
    assert (simulation.digest(), [*simulation.robots]) == (before, ["Cart"])


@pytest.mark.parametrize("frames", ["10", 1.5])
def test_frames_are_whole(simulation: Simulation, frames: Any) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        simulation.step(frames)


def test_bodies_and_joints_of_a_robot(simulation: Simulation) -> None:
    robot = simulation.robots["Cart"]
    with pytest.raises(KeyError, match="there is no body 'Bse'; did you mean Base"):
        robot.bodies["Bse"]
    with pytest.raises(KeyError, match="there is no joint 'Motr'; did you mean Motor"):
        robot.joints["Motr"]
    assert robot.bodies.get("Bse") is None
