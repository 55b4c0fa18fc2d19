"""A camera that pans, tilts and zooms, on a robot that includes it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers.shown_programs import blocks
from ubersim.description import expand, shipped
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

(INCLUDE,) = blocks("docs/robots.md", "xml")


@pytest.fixture
def pioneer() -> tuple[Simulation, Robot]:
    path = shipped("robots/pioneer.xml")
    text = path.read_text(encoding="utf-8").replace("</Motors>", f"</Motors>{INCLUDE}")
    simulation = Simulation()
    robot = simulation.spawn(expand(text, path.parent))
    robot.command("Ptz", "Frequency", 1e-3)
    simulation.step(100)
    return simulation, robot


def angle(robot: Robot, name: str) -> float:
    return float(np.asarray(robot.read(f"{name}.position")))


def test_it_looks_where_it_is_told_as_fast_as_it_can(pioneer: tuple[Simulation, Robot]) -> None:
    simulation, robot = pioneer
    robot.command("PtzPan", "Target", 0.8)
    robot.command("PtzTilt", "Target", 0.3)
    simulation.step(320)  # 20 ms of latency, 0.3 s of motion
    assert angle(robot, "PtzPanAngle") == pytest.approx(0.3 * math.radians(80), abs=0.04)
    simulation.step(700)
    assert angle(robot, "PtzPanAngle") == pytest.approx(0.8, abs=0.02)
    assert angle(robot, "PtzTiltAngle") == pytest.approx(0.3, abs=0.02)
    ahead = robot.bodies["PtzHead"].rotation[:, 1]
    assert math.atan2(-ahead[0], ahead[1]) == pytest.approx(0.8, abs=0.03) and ahead[2] > 0.25


def test_nothing_of_the_robot_stands_before_it(pioneer: tuple[Simulation, Robot]) -> None:
    """Straight ahead there are sky and ground alone; the laser and the deck are nearly black, or blue."""
    simulation, robot = pioneer
    for pan in (0.0, 1.2, -1.2):
        robot.command("PtzPan", "Target", pan)
        simulation.step(1500)
        robot.command("Ptz", "Frequency", 1000)
        simulation.step(100)
        assert np.asarray(robot.read("Ptz"))[..., 1:3].min() > 60


def test_it_zooms(pioneer: tuple[Simulation, Robot]) -> None:
    simulation, robot = pioneer
    robot.command("Ptz", "Fov", math.radians(4.3))
    simulation.step(30)
    assert robot.sensors["Ptz"].state()["reader"]["camera"]["fov"] == pytest.approx(math.radians(4.3))
