"""Another run from a snapshot, with another seed: the same bits as in a simulation that was made with that seed."""

from __future__ import annotations

import pytest

from tests.helpers.robots import cart, segway
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.timing.latency import Constant

NOISY = "<Noise>0.01</Noise><Bias>0.1</Bias><Frequency>100</Frequency>" + (
    '<Latency model="uniform"><Min>1</Min><Max>20</Max></Latency>'
)
LATENCY = '<Latency model="uniform"><Min>1</Min><Max>30</Max></Latency>'
ROBOT = cart(latency=LATENCY, sensor=NOISY)


def run(simulation: Simulation) -> list[object]:
    found: list[object] = []
    robot = simulation.robots["Cart"]
    for k in range(40):
        robot.command("Motor", "Vel", float(k % 7))
        simulation.step(7)
        found += [robot.read("Tilt"), simulation.digest()]
    return found


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_the_same_bits_as_from_the_beginning(seed: int) -> None:
    fresh = Simulation(seed=seed)
    fresh.spawn(ROBOT)
    expected = run(fresh)
    simulation = Simulation(seed=99)
    robot = simulation.spawn(ROBOT)
    robot.paints["Plate"].set(24, 0.5, 0)
    start, bodies = simulation.snapshot(), robot.bodies
    assert run(simulation) != expected
    simulation.push("Cart", (0.0, 50.0, 0.0), 1.0)
    for _ in range(2):
        simulation.start_over(start, seed)
        assert robot.read("Tilt") is None
        simulation.begin_frame()
        assert not robot.paints["Plate"].changed
        assert run(simulation) == expected
    assert simulation.robots["Cart"] is robot and robot.bodies is bodies


def test_with_another_latency() -> None:
    simulation = Simulation()
    robot = simulation.spawn(ROBOT)
    start = simulation.snapshot()
    simulation.start_over(start, 1, {"Cart": Constant(50.0)})
    assert robot.commands.latency == Constant(50.0)
    simulation.start_over(start, 1)
    assert robot.commands.latency.kind == "uniform"


def test_other_robots_are_refused() -> None:
    simulation = Simulation()
    simulation.spawn(ROBOT)
    start = simulation.snapshot()
    simulation.spawn(segway())
    with pytest.raises(UberSimError, match="taken with other robots"):
        simulation.start_over(start, 1)
