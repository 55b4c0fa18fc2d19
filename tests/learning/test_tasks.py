"""The tasks that come along: nobody has succeeded before anything was done, except who only has to stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.helpers.documents import AT_ORIGIN, ball, body, robot
from tests.helpers.robots import cart
from ubersim.description import load_robot, shipped
from ubersim.errors import UberSimError
from ubersim.learning import UberSimEnv
from ubersim.learning.actions import ActionMap
from ubersim.learning.observations import _Numbers
from ubersim.learning.registration import TASKS
from ubersim.learning.tasks.ball import BallIntercept
from ubersim.simulation import Simulation

STAYING = {"SegwayBalance-v0", "SegwayDrive-v0"}


@pytest.mark.parametrize("name", sorted(TASKS))
def test_success_is_not_there_from_the_beginning(name: str) -> None:
    env: Any = UberSimEnv(task=f"ubersim.learning.tasks.{TASKS[name]}")
    try:
        env.reset(seed=1)
        assert isinstance(env.task.succeeded(), bool | np.bool_)
        assert not env.task.failed()
        if name not in STAYING:
            assert not env.task.succeeded()
    finally:
        env.close()


def test_pictures_do_not_go_into_one_row_of_numbers() -> None:
    with pytest.raises(UberSimError, match="Cam takes pictures, which do not go into a flat observation"):
        UberSimEnv(task="ubersim.learning.tasks.segway:SegwayBalance", observation=["Cam"], flat=True)


def test_servos_go_from_stop_to_stop() -> None:
    """Where the document says how far something goes, an action from -1 to 1 is all of that."""
    with Simulation() as simulation:
        robot = simulation.spawn(load_robot(shipped("robots/aibo.xml")))
        space = ActionMap(robot, ["HeadTiltServo.Target"])
        low, high = (space.commands([number])[0][2] for number in (-1.0, 1.0))
        tilt: Any = next(joint for joint in robot.description.joints if joint.name == "HeadTilt")
        assert (low, high) == pytest.approx((tilt.lo_stop, tilt.hi_stop))


def test_a_ball_that_is_stopped_is_rewarded_once() -> None:
    env = UberSimEnv(task=BallIntercept)
    env.reset(seed=1)
    keeper, ball = env.robot.bodies["Base"], env.simulation.objects["Ball"]
    here = (float(keeper.position[0]), 0.3, 0.11)
    ball.set_state(here, (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert env.task.reward([0.0]) == 5.0
    assert env.task.reward([0.0]) == pytest.approx(0.0)
    env.close()


def test_properties_of_a_narrow_range_go_as_far_as_that() -> None:
    with Simulation() as simulation:
        space = ActionMap(simulation.spawn(cart()), ["Motor.Bounce"])
    assert [space.commands([number])[0][2] for number in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]


def test_readings_that_policies_take() -> None:
    """Of a fixed length, and finite: an echo from nowhere is as far away as any."""
    ear = f'<SonarSensor name="Ear">{AT_ORIGIN}<Range>9</Range></SonarSensor>'
    scan = f'<ObstacleSensor name="Scan">{AT_ORIGIN}<Range>9</Range></ObstacleSensor>'
    with Simulation() as simulation:
        made = simulation.spawn(robot(body(ball("b") + ear + scan)))
        numbers = _Numbers(made.sensors["Ear"])
        assert numbers.array(np.array(np.inf, "<f4").tobytes()) == 9.0
        assert numbers.array(np.array(2.5, "<f4").tobytes()) == 2.5
        with pytest.raises(UberSimError, match="Scan has readings of varying length"):
            _Numbers(made.sensors["Scan"])
