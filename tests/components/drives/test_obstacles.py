"""Robots that move as they are told stop where something does not give way, say so, and feel it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.components.drives.test_drives import box, cart, holonomic
from tests.helpers.documents import vector
from ubersim.description import read_world
from ubersim.geometry import Array
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

FRONT = 0.4
"""From the cart's middle to the front of its tower [m]."""
HAIR = 1e-4
"""How deep it gets into what stops it [m]."""
SENSORS = f"""<MotionSensor name="Motion">{vector("Position", 0, 0, 0)}</MotionSensor>
  <BumperSensor name="Bumper">{vector("Position", 0, 0.3, 0.2)}<Fov>120</Fov></BumperSensor>
  <ContactSensor name="Skin">{vector("Position", 0, 0.3, 0.2)}<Partner>wall</Partner></ContactSensor>"""


def walled(y: float = 3.0, thickness: float = 0.1) -> Simulation:
    wall = f"""<Box name="wall"><XSize>6</XSize><YSize>{thickness}</YSize><ZSize>1</ZSize>
      {vector("Position", 0, y + thickness / 2, 0.5)}<Material>Wood</Material></Box>"""
    return Simulation(read_world(f"<World><Ground/><Static>{wall}</Static></World>"))


def sensing(document: str) -> str:
    head, mark, rest = document.rpartition("</Box></Body></RigidBodies>")
    return f"{head}</Box>{SENSORS}</Body></RigidBodies>{rest}" if mark else document


def told(robot: Robot, **values: float) -> None:
    for name, value in values.items():
        robot.command("Drive", name, value)


def reading(robot: Robot, sensor: str) -> Array:
    return np.atleast_1d(np.asarray(robot.read(sensor)))


@pytest.mark.parametrize("speed", [0.1, 1.0, 30.0, 900.0])
def test_it_stops_at_a_wall_within_a_hair(speed: float) -> None:
    simulation = walled()
    robot = simulation.spawn(sensing(cart(holonomic())))
    told(robot, SpeedY=speed)
    free = int((3.0 - FRONT) / speed / simulation.step_size)
    simulation.step(max(free, 1))
    if free > 1:
        assert robot.bodies["Base"].position[1] == pytest.approx(speed * free * simulation.step_size, abs=1e-9)
        assert reading(robot, "Motion")[:3].tolist() == pytest.approx([0.0, 0.0, speed])
        assert reading(robot, "Bumper") == 0 and reading(robot, "Skin")[0] == 0
    simulation.step(5)
    assert 0.0 <= robot.bodies["Base"].position[1] - (3.0 - FRONT) <= 1.01 * HAIR
    simulation.step(100)
    assert 0.0 <= robot.bodies["Base"].position[1] - (3.0 - FRONT) <= 1.01 * HAIR
    assert reading(robot, "Motion")[0] == 1 and abs(reading(robot, "Motion")[2]) < 1e-6
    assert reading(robot, "Bumper") == 1
    count, x, y, z, _ = reading(robot, "Skin")
    assert count > 0 and y < 0 and abs(x) < 1e-9 and abs(z) < 1e-9


def test_it_stops_as_a_whole_and_gets_away_along_the_wall_or_back() -> None:
    """It does not slide: a program that is told that it is blocked decides itself."""
    simulation = walled()
    robot = simulation.spawn(sensing(cart(holonomic())))
    told(robot, SpeedX=0.3, SpeedY=0.4)
    simulation.step(9000)
    x, y, _ = robot.bodies["Base"].position
    assert (x, y) == pytest.approx((0.75 * 2.6, 2.6), abs=2 * HAIR)
    told(robot, SpeedX=-0.5, SpeedY=0.0)
    simulation.step(1000)
    assert robot.bodies["Base"].position[0] == pytest.approx(x - 0.5, abs=1e-9)
    assert reading(robot, "Motion")[0] == 0
    told(robot, SpeedX=0.0, SpeedY=-1.0)
    simulation.step(1000)
    assert robot.bodies["Base"].position[1] == pytest.approx(y - 1.0, abs=1e-9)
    assert reading(robot, "Bumper") == 0


def test_turning_stops_where_a_corner_meets_the_wall() -> None:
    """A box of 0.2 x 0.8 m whose middle is 0.3 m before the wall turns until its corner reaches it."""
    simulation = walled()
    long = box("Base", 0, 0, 0).replace("<XSize>0.2</XSize>", "<XSize>0.8</XSize>")
    document = cart(holonomic()).replace(box("Base", 0, 0, 0), long).replace(box("Tower", 0, 0.3, 0.2), "")
    robot = simulation.spawn(document, position=(0.0, 2.7, 0.1))
    told(robot, TurnRate=1.0)
    simulation.step(3000)
    forward = robot.bodies["Base"].rotation[:, 1]
    angle = math.atan2(-forward[0], forward[1])
    reach, corner = math.hypot(0.4, 0.1), math.atan2(0.1, 0.4)
    assert angle == pytest.approx(math.asin(0.3 / reach) - corner, abs=1e-3)


def test_two_of_them_stop_at_each_other() -> None:
    simulation = Simulation()
    one = simulation.spawn(sensing(cart(holonomic("<SpeedY>1</SpeedY>"))), name="One")
    other = simulation.spawn(
        cart(holonomic("<SpeedY>1</SpeedY>")), name="Other", position=(0.0, 3.0, 0.1), heading=math.pi
    )
    simulation.step(2500)
    gap = other.bodies["Base"].position[1] - one.bodies["Base"].position[1] - 2 * FRONT
    assert -2e-3 < gap <= 0.0
    assert one.bodies["Base"].position[1] == pytest.approx(1.1, abs=2e-3)
    assert reading(one, "Motion")[0] == 1 and reading(one, "Bumper") == 1
    simulation.step(500)
    later = other.bodies["Base"].position[1] - one.bodies["Base"].position[1] - 2 * FRONT
    assert later == pytest.approx(gap, abs=1e-5)


def test_one_that_begins_inside_of_something_gets_out() -> None:
    simulation = walled()
    robot = simulation.spawn(cart(holonomic()), position=(0.0, 3.0 - FRONT + 0.03, 0.1))
    told(robot, SpeedY=1.0)
    simulation.step(50)
    assert robot.bodies["Base"].position[1] == pytest.approx(3.0 - FRONT + 0.03, abs=1e-6)
    told(robot, SpeedY=-1.0)
    simulation.step(500)
    assert robot.bodies["Base"].position[1] == pytest.approx(3.0 - FRONT + 0.03 - 0.5, abs=1e-6)


def test_what_stopped_it_may_go_away() -> None:
    simulation = Simulation()
    robot = simulation.spawn(cart(holonomic("<SpeedY>1</SpeedY><Acceleration>2</Acceleration>")))
    simulation.spawn(cart(holonomic()), name="Other", position=(0.0, 1.0, 0.1))
    simulation.step(3000)
    stopped = float(robot.bodies["Base"].position[1])
    assert stopped == pytest.approx(1.0 - 0.2, abs=2 * HAIR), "their lower boxes meet first"
    simulation.remove("Other")
    simulation.step(1000)  # half a second of ramp, then 1 m/s
    assert robot.bodies["Base"].position[1] == pytest.approx(stopped + 0.75, abs=1e-6)


def test_snapshots_know_that_it_is_blocked() -> None:
    simulation = walled()
    robot = simulation.spawn(sensing(cart(holonomic("<SpeedY>5</SpeedY>"))))
    simulation.step(700)
    stored, digests = simulation.snapshot(), []
    for _ in range(2):
        simulation.restore(stored)
        assert robot.motion is not None and robot.motion.blocked
        simulation.step(50)
        digests.append(simulation.digest())
    assert digests[0] == digests[1]


def test_others_without_motion_read_that_they_are_free() -> None:
    simulation = Simulation()
    document = sensing(cart(holonomic())).replace(f"<Motion>{holonomic()}</Motion>", "")
    robot = simulation.spawn(document)
    assert not reading(robot, "Motion").any()
