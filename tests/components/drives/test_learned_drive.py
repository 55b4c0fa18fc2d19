"""A drive with a network: exactly what its numbers say, whatever the step; bad ones are refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.components.drives.test_drives import cart, place
from ubersim.description import load_robot, read_robot
from ubersim.errors import DescriptionError, UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

PERIOD, LAG = 0.01, 0.2
SHARE = 1 - math.exp(-PERIOD / LAG)


def weights(share: float = SHARE) -> list[float]:
    """change = share (command - now), on all three axes, and no hidden units."""
    linear = np.zeros((3, 9))
    for axis in range(3):
        linear[axis, axis], linear[axis, 3 + axis] = -share, share
    return [float(number) for number in linear.ravel()]


def drive(numbers: list[float], period: float = PERIOD, more: str = "") -> str:
    listed = " ".join(map(repr, numbers))
    return f'<LearnedDrive name="Drive"><Period>{period}</Period><Weights>{listed}</Weights>{more}</LearnedDrive>'


def driven(step: float, seconds: float, document: str, **commands: float) -> Robot:
    simulation = Simulation(step=step)
    robot = simulation.spawn(document)
    for name, value in commands.items():
        robot.command("Drive", name, value)
    simulation.step(round(seconds / step))
    return robot


@pytest.mark.parametrize("step", [0.001, 0.01, 0.02])
def test_it_follows_the_exponential_that_its_numbers_are(step: float) -> None:
    """The step may be a part of the period, or a multiple of it."""
    found = driven(step, 0.6, cart(drive(weights())), SpeedY=2.0)
    way = 2.0 * (0.6 - LAG * (1 - math.exp(-0.6 / LAG)))
    assert place(found)[1] == pytest.approx(way, rel=0.003)
    motion = found.motion
    assert motion is not None and motion.now[1] == pytest.approx(2.0 * (1 - math.exp(-0.6 / LAG)), rel=1e-9)


def test_a_hidden_unit_adds_what_its_formula_says() -> None:
    unit = [0.0] * 9 + [0.3, 0.0, 0.5, 0.0]
    unit[4] = 1.5  # of the forward command
    found = driven(PERIOD, PERIOD, cart(drive([0.0] * 27 + unit)), SpeedY=2.0)
    assert found.motion is not None
    assert found.motion.now[1] == pytest.approx(0.5 * (math.tanh(1.5 * 2.0 + 0.3) - math.tanh(0.3)))


def test_a_command_is_heard_at_once_not_at_the_end_of_a_period() -> None:
    simulation = Simulation(step=0.001)
    robot = simulation.spawn(cart(drive(weights(), period=0.1)))
    robot.command("Drive", "Speed", 10.0)
    simulation.step(5)
    robot.command("Drive", "Speed", 0.0)
    simulation.step(1)
    assert robot.motion is not None
    rising = 10.0 * SHARE / 0.1 * 0.005
    assert robot.motion.now[1] == pytest.approx(rising - SHARE * rising / 0.1 * 0.001)


def test_told_to_stand_it_stands() -> None:
    simulation = Simulation(step=0.001)
    robot = simulation.spawn(cart(drive(weights())))
    robot.command("Drive", "SpeedY", 0.5)
    simulation.step(300)
    robot.command("Drive", "SpeedY", 0.0)
    simulation.step(1500)
    before = place(robot)
    simulation.step(200)
    assert (place(robot) == before).all() and not robot.busy


def test_same_bits_after_a_snapshot() -> None:
    simulation = Simulation(step=0.001)
    robot = simulation.spawn(cart(drive(weights(), period=0.02)))
    robot.command("Drive", "SpeedY", 0.7)
    robot.command("Drive", "TurnRate", 1.0)
    simulation.step(33)  # in the middle of a period
    kept = simulation.snapshot()
    simulation.step(50)
    first = simulation.digest()
    simulation.restore(kept)
    simulation.step(50)
    assert simulation.digest() == first


def test_a_network_that_runs_away_is_held() -> None:
    found = driven(0.01, 1.0, cart(drive(weights(-1e6))), SpeedY=1.0)
    assert found.motion is not None and abs(found.motion.now[1]) <= 1e4 and np.isfinite(place(found)).all()


def test_a_file_beside_the_document(tmp_path: Path) -> None:
    np.savez(tmp_path / "drive.npz", period=PERIOD, weights=np.array(weights()))
    document = cart('<LearnedDrive name="Drive"><File>drive.npz</File></LearnedDrive>')
    (tmp_path / "cart.xml").write_text(document)
    loaded = load_robot(tmp_path / "cart.xml")
    assert loaded.entity == read_robot(cart(drive(weights()))).entity
    with pytest.raises(DescriptionError, match="has to be inlined"):
        read_robot(document)
    twice = document.replace("</File>", "</File><Period>0.01</Period>")
    (tmp_path / "twice.xml").write_text(twice)
    with pytest.raises(DescriptionError, match="stands beside another File, Period or Weights; it says both"):
        load_robot(tmp_path / "twice.xml")
    for content, reason in ((b"no", "is nothing that `ubersim learn-motion` wrote"), (None, "cannot be read")):
        (tmp_path / "drive.npz").unlink() if content is None else (tmp_path / "drive.npz").write_bytes(content)
        with pytest.raises(DescriptionError, match=reason):
            load_robot(tmp_path / "cart.xml")


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [([0.0] * 26, "holds 26 numbers"), ([0.0] * (27 + 13 * 129), "groups|numbers")],
)
def test_what_is_no_network_is_refused(numbers: list[float], reason: str) -> None:
    with pytest.raises(DescriptionError, match=reason):
        read_robot(cart(drive(numbers)))


def test_a_period_that_does_not_fit_the_step_is_refused() -> None:
    with pytest.raises(UberSimError, match="neither a multiple nor a part"):
        Simulation(step=0.003).spawn(cart(drive(weights())))
