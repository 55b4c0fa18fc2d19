"""A kicker shoots once, the ball rolls as far as rolling friction says, and the next kick takes its time."""

from __future__ import annotations

import pytest

from tests.helpers.documents import vector
from ubersim.description import default_materials, read_world
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

RADIUS, ROLLING = 0.11, 0.002
"""The ball's [m], and that of the pair Ball + Ground in materials.yaml [m]."""
FIELD = f"""<World><Ground/><Objects><Body name="Ball"><Sphere name="leather"><Mass>0.43</Mass><Radius>{RADIUS}</Radius>
  {vector("Position", 0, 0.325, RADIUS)}<Material>Ball</Material></Sphere></Body></Objects></World>"""
PUSHER = f"""<Client><CSettings><Name>P</Name><Spawn>{vector("Position", 0, 0, 0)}</Spawn></CSettings><Entity>
  <RigidBodies>
    <Body name="Base"><Box name="block"><Mass>30</Mass><XSize>0.4</XSize><YSize>0.2</YSize><ZSize>0.2</ZSize>
      {vector("Position", 0, 0, 0.1)}<Material>Rubber</Material></Box></Body>
    <Body name="Plate"><Box name="plate"><Mass>0.5</Mass><XSize>0.2</XSize><YSize>0.02</YSize><ZSize>0.1</ZSize>
      {vector("Position", 0, 0.2, 0.11)}<Material>Metal</Material></Box></Body>
  </RigidBodies>
  <Joints>
    <JointSlider name="Slide"><Body1>Plate</Body1><Body2>Base</Body2>{vector("Axis", 0, 1, 0)}</JointSlider>
  </Joints>
  <Motors><Kicker name="Kick"><Joint>Slide</Joint><Stroke>0.05</Stroke><Speed>3</Speed><Force>2000</Force>
    <Recharge>0.5</Recharge></Kicker></Motors>
</Entity></Client>"""


@pytest.fixture
def field() -> tuple[Simulation, Robot]:
    simulation = Simulation(read_world(FIELD, materials=default_materials()))
    robot = simulation.spawn(PUSHER)
    simulation.step(50)
    return simulation, robot


def test_the_ball_rolls_as_far_as_rolling_friction_says(field: tuple[Simulation, Robot]) -> None:
    """Once it rolls, it loses speed by rolling * g / (1.4 * radius), so that it goes on for v^2 / 2 over that."""
    simulation, robot = field
    ball = simulation.objects["Ball"]
    robot.command("Kick", "Kick", 0.5)
    simulation.step(1000)  # by now it no longer slides
    speed, place = ball.linear_velocity[1], ball.position[1]
    assert abs(ball.angular_velocity[0] + speed / RADIUS) * RADIUS < 1e-3 * speed
    assert 1.0 < speed < 3.0
    loss = ROLLING * 9.81 / (1.4 * RADIUS)
    simulation.step(round(speed / loss * 1000) + 500)
    assert abs(ball.linear_velocity[1]) < 1e-3
    assert ball.position[1] - place == pytest.approx(speed**2 / (2 * loss), rel=0.01)


def test_it_shoots_its_stroke_and_comes_back(field: tuple[Simulation, Robot]) -> None:
    simulation, robot = field
    slide, farthest = robot.joints["Slide"], 0.0
    assert not robot.busy
    robot.command("Kick", "Kick", 1.0)
    for _ in range(100):
        simulation.step(1)
        farthest = max(farthest, slide.position())
    assert 0.05 <= farthest < 0.06
    simulation.step(200)
    assert slide.position() == pytest.approx(0.0, abs=1e-3)
    assert not robot.busy


def test_a_kick_before_the_recharge_is_lost(field: tuple[Simulation, Robot]) -> None:
    simulation, robot = field
    slide = robot.joints["Slide"]
    robot.command("Kick", "Kick", 1.0)
    simulation.step(400)
    robot.command("Kick", "Kick", 1.0)
    simulation.step(90)
    assert slide.position() == pytest.approx(0.0, abs=1e-3)
    simulation.step(10)
    robot.command("Kick", "Kick", 1.0)
    simulation.step(10)
    assert slide.position() > 0.02


def test_a_plate_that_is_held_up_returns_after_a_second() -> None:
    """A stop in the middle of its stroke."""
    simulation = Simulation(read_world(FIELD, materials=default_materials()))
    robot = simulation.spawn(PUSHER.replace("</JointSlider>", "<HiStop>0.02</HiStop></JointSlider>"))
    robot.command("Kick", "Kick", 1.0)
    simulation.step(1000)
    assert robot.joints["Slide"].position() == pytest.approx(0.02, abs=2e-3)
    simulation.step(200)
    assert robot.joints["Slide"].position() == pytest.approx(0.0, abs=2e-3)


def test_a_kick_in_the_middle_of_a_snapshot(field: tuple[Simulation, Robot]) -> None:
    simulation, robot = field
    robot.command("Kick", "Kick", 1.0)
    simulation.step(8)
    kept = simulation.snapshot()
    simulation.step(600)
    wanted = simulation.digest()
    simulation.restore(kept)
    simulation.step(600)
    assert simulation.digest() == wanted
