"""A log of every robot that comes along happens again to the bit, whatever its parts expand to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.paths import ROOT
from ubersim.protocol.properties import JOINT_PROPERTIES, MOTOR_PROPERTIES
from ubersim.recording import Log, Recorder, replay
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

ROBOTS = sorted(path.stem for path in (ROOT / "robots").glob("*.xml"))
MOVING = ("Vel", "Speed", "Target", "Voltage", "Torque", "SpeedX", "TurnRate", "Kick")


def properties_of(robot: Robot, component: str) -> set[str]:
    """The names of what commands may set."""
    numbers = robot.settable()[component]
    return {name for name, number in {**JOINT_PROPERTIES, **MOTOR_PROPERTIES}.items() if number in numbers}


def excite(robot: Robot, strength: float) -> int:
    """Sets everything that makes it move; how much that was."""
    commands = [
        (component, name)
        for component in (*robot.joints, *robot.motors)
        for name in MOVING
        if name in properties_of(robot, component)
    ]
    for component, name in commands:
        robot.command(component, name, strength)
    return len(commands)


@pytest.mark.parametrize("name", ROBOTS)
def test_it_happens_again(name: str, tmp_path: Path) -> None:
    simulation = Simulation(seed=7)
    robot = simulation.spawn(ROOT / "robots" / f"{name}.xml")
    with Recorder(simulation, tmp_path / "run.mcap"):
        for strength in (0.7, 0.1, 0.4):
            assert excite(robot, strength)
            simulation.step(60)
        simulation.restore(simulation.snapshot())
        simulation.step(20)
    with Log(tmp_path / "run.mcap") as log:
        assert replay(log) is None
        assert log.last == 200
