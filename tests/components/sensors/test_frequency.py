"""How often sensors read: 0 means every frame, in documents as on the wire."""

from __future__ import annotations

import pytest

from tests.helpers.robots import cart
from ubersim.simulation import Simulation


def readings(document: str, frames: int = 40, *commands: float) -> int:
    simulation = Simulation()
    robot = simulation.spawn(document)
    for value in commands:
        robot.command("Tilt", "Frequency", value)
    count = len(robot.readings)
    for _ in range(frames):
        simulation.step()
        count += len(robot.readings)
    return count


@pytest.mark.parametrize("frequency", ["", "<Frequency>0</Frequency>", "<Frequency>1000</Frequency>"])
def test_every_frame(frequency: str) -> None:
    assert readings(cart(sensor=frequency)) == 41


def test_zero_at_run_time_is_every_frame_too() -> None:
    assert readings(cart(sensor="<Frequency>100</Frequency>"), 40, 0.0) == 41


def test_a_frequency_of_next_to_nothing_reads_once() -> None:
    assert readings(cart(sensor="<Frequency>5e-324</Frequency>")) == 1
    assert readings(cart(), 40, 1e-45) == 1
