"""What hangs by joints on a robot that is told how to move: a head that turns, a plate that kicks, a pendulum."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.components.drives.test_drives import box, cart, holonomic
from tests.helpers.documents import vector
from ubersim.description import read_robot, read_world
from ubersim.simulation import Simulation

HEAD = f"""<Joints><JointHinge name="Neck"><Body1>Tower</Body1><Body2>Base</Body2>{vector("Axis", 0, 0, 1)}
  {vector("AnchorPos", 0, 0.3, 0.2)}</JointHinge></Joints>
  <Motors><VelocityMotor name="NeckMotor"><Joint>Neck</Joint><Speed>2</Speed><TorqueLimit>50</TorqueLimit>
  </VelocityMotor></Motors>"""


def test_only_what_no_joint_holds_moves_as_told() -> None:
    assert read_robot(cart(holonomic(), rest=HEAD)).chassis == ("Base",)
    assert read_robot(cart(holonomic())).chassis == ("Base", "Tower")


def test_a_head_turns_on_a_robot_that_drives() -> None:
    simulation = Simulation()
    robot = simulation.spawn(cart(holonomic("<SpeedY>0.5</SpeedY><TurnRate>0.25</TurnRate>"), rest=HEAD))
    simulation.step(1000)
    base, tower = robot.bodies["Base"], robot.bodies["Tower"]
    assert robot.joints["Neck"].rate() == pytest.approx(2.0, abs=1e-3)
    np.testing.assert_allclose(base.position[:2], (-2 * (1 - math.cos(0.25)), 2 * math.sin(0.25)), atol=1e-9)
    np.testing.assert_allclose(tower.position, base.position + base.rotation @ (0, 0.3, 0.2), atol=1e-5)
    forward = tower.rotation[:, 1]
    assert math.atan2(-forward[0], forward[1]) == pytest.approx(2.25, abs=0.01)


def test_a_pendulum_swings_back_when_its_carrier_speeds_up() -> None:
    """In a carrier that accelerates by a, a pendulum hangs at atan(a / g) once its swing has been damped away."""
    bob = box("Bob", 0, 0, -0.5).replace("0.2</", "0.05</")
    hinge = f"""<Joints><JointHinge name="Pivot"><Body1>Bob</Body1><Body2>Base</Body2>{vector("Axis", 1, 0, 0)}
      {vector("AnchorPos", 0, 0, 0)}</JointHinge></Joints>
      <Motors><SpringDamper name="Damper"><Joint>Pivot</Joint><Stiffness>1e-6</Stiffness><Damping>8</Damping>
      </SpringDamper></Motors>"""
    document = cart(holonomic("<Acceleration>3</Acceleration><SpeedY>900</SpeedY>"), rest=hinge)
    document = document.replace(box("Tower", 0, 0.3, 0.2), bob)
    simulation = Simulation(read_world("<World/>"))
    robot = simulation.spawn(document, position=(0.0, 0.0, 5.0))
    simulation.step(8000)
    assert abs(robot.joints["Pivot"].position()) == pytest.approx(math.atan2(3.0, 9.81), rel=2e-3)


def test_a_joint_to_the_world_lets_parts_hang_elsewhere() -> None:
    gate = HEAD.replace("<Body2>Base</Body2>", "")
    simulation = Simulation()
    robot = simulation.spawn(cart(holonomic("<SpeedY>-1</SpeedY>"), rest=gate))
    simulation.step(500)
    assert robot.bodies["Base"].position[1] == pytest.approx(-0.5)
    np.testing.assert_allclose(robot.bodies["Tower"].position, (0, 0.3, 0.3), atol=1e-6)
