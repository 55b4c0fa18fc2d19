"""robots/segway.xml is the Segway RMP that it says it is."""

import math

import numpy as np
import pytest

from ubersim.components.sensors.camera import CameraSensor
from ubersim.components.sensors.inclinometer import InclinometerSensor
from ubersim.components.solids.cylinder import Cylinder
from ubersim.description import RobotDescription, default_materials, load_robot, shipped
from ubersim.geometry import Pose
from ubersim.physics import World
from ubersim.physics.build import add_body


@pytest.fixture(scope="module")
def segway() -> RobotDescription:
    return load_robot(shipped("robots/segway.xml"), materials=default_materials())


def test_the_published_and_recalled_facts(segway: RobotDescription) -> None:
    bodies = {body.name: body for body in segway.bodies}
    left, right = bodies["LWheel"].solids[0], bodies["RWheel"].solids[0]
    assert isinstance(left, Cylinder) and isinstance(right, Cylinder)
    assert right.position[0] - left.position[0] == pytest.approx(0.54)
    assert left.radius == right.radius == 0.24
    assert segway.mass_properties().mass == pytest.approx(64.0)
    sensors = {sensor.name: sensor for sensor in segway.sensors}
    tilt, camera = sensors["Tilt"], sensors["Cam"]
    assert isinstance(tilt, InclinometerSensor) and isinstance(camera, CameraSensor)
    assert tilt.frequency == 100.0
    assert math.degrees(tilt.resolution) == pytest.approx(0.128)
    assert math.degrees(camera.fov) == pytest.approx(42.0)
    assert camera.position == (0.0, 0.12, 0.55)
    assert [joint.name for joint in segway.joints] == ["LMotor", "RMotor"]


def test_it_leans_back_to_balance_because_it_is_heavier_in_front(segway: RobotDescription) -> None:
    center = segway.bodies[0].mass_properties().center
    assert center[0] == pytest.approx(0, abs=1e-12)
    assert 2 < math.degrees(math.atan2(center[1], center[2])) < 6


def test_a_positive_velocity_drives_forward_and_the_body_falls_without(segway: RobotDescription) -> None:
    materials = default_materials()
    world = World(0.001, surfaces=materials.matrix())
    world.add_plane(0, materials.index("Ground"), (0, 0, 1), 0.0)
    frame = Pose(np.array([0, 0, -segway.lowest(np.eye(3))]))
    bodies = {body.name: add_body(world, 1, body, frame, materials) for body in segway.bodies}
    joints = {joint.name: joint.build(world, 1, bodies, frame) for joint in segway.joints}
    for joint in joints.values():
        joint.set(2, 2.0)
    world.run(200)
    wheel = bodies["LWheel"]
    assert wheel.linear_velocity[1] > 0.2
    # Rolling: the velocity of the rim at the ground is nearly none.
    assert wheel.linear_velocity[1] == pytest.approx(-wheel.angular_velocity[0] * 0.24, rel=0.02)
    world.run(3000)
    assert bodies["MainBody"].rotation[2, 2] < 0.5
