"""Tests of a robot, to copy and change. They need no server and no configuration:

    pytest examples/test_my_robot.py

When one fails, pytest shows the last second in numbers, and names a log, a plot and pictures of what happened.
All times are simulated: a slow machine takes longer, and comes to the same result.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ubersim
from ubersim.control.balancer import PERIOD, Balancer
from ubersim.simulation.robot import Robot
from ubersim.testing.in_process import InProcessTrial
from ubersim.testing.served import ServedTrial

SEGWAY = ubersim.shipped("robots/segway.xml")


@pytest.fixture
def trial(simulation: Callable[..., InProcessTrial]) -> InProcessTrial:
    """A Segway that balances itself, in this process."""
    trial = simulation()
    robot = trial.spawn(SEGWAY)
    balancer = Balancer()
    trial.every(PERIOD, lambda: balance(robot, balancer))
    return trial


def balance(robot: Robot, balancer: Balancer) -> None:
    """The controller under test: reads a sensor, commands motors."""
    tilt = robot.read("Tilt")
    assert isinstance(tilt, float)
    speed = balancer.update(tilt)
    robot.set("LMotor", "Vel", speed)
    robot.set("RMotor", "Vel", speed)


@pytest.mark.ubersim(latency=[10, 40], seed=[1])
def test_it_stands(trial: InProcessTrial) -> None:
    """Whatever the latency: let go standing straight, it finds its balance and keeps it."""
    trial.run(3.0)
    trial.hold(lambda: trial.tilt("Segway") < 6.0, seconds=1.0)
    trial.assert_no_contact("Segway/MainBody")  # only its wheels are on the ground


def test_it_gets_over_a_push(trial: InProcessTrial) -> None:
    """A force of 200 N from the front: it swings, and calms down."""
    trial.run(3.0)
    trial.push("Segway", (0.0, -200.0, 0.0), seconds=0.2)
    trial.run_until(lambda: trial.tilt("Segway") > 6.0, timeout=0.5)
    trial.run_until(lambda: trial.tilt("Segway") < 5.0, timeout=1.0)
    trial.run(2.0)
    trial.assert_tilt("Segway", below=6.0)
    trial.assert_contact("Segway/LWheel")


def test_the_program_itself(ubersim_server: Callable[..., ServedTrial]) -> None:
    """The same as a program of its own, over TCP; here the one in clients/, in your tests yours."""
    program = SEGWAY.parent.parent / "clients" / "segway_pd.py"
    trial = ubersim_server([program, "--port", "{port}"])
    trial.run(3.0)
    trial.assert_tilt("Segway", below=6.0)
    trial.assert_pose("Segway", (0.0, None, None), within=0.05, heading=0.0)
