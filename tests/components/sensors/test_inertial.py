"""Gyroscopes, accelerometers, inertial units and compasses against closed forms."""

import math

import numpy as np
import pytest

from tests.helpers.sensor_stage import STEP, G, hinge, sensor, simulation, spawned, sphere
from ubersim.geometry import matrix_from_quaternion, quaternion_from_matrix, rotation_xyz, rotation_xyz_degrees
from ubersim.simulation.robot import Robot


def read(robot: Robot, name: str) -> np.ndarray:
    value = robot.read(name)
    assert isinstance(value, np.ndarray)
    return value.astype(float)


def test_at_rest_an_accelerometer_reads_g_upwards_in_its_own_frame() -> None:
    here = simulation(ground=True)
    turned = sensor("AccelerometerSensor", "Turned", x=30, y=20, z=10)
    robot = spawned(here, sphere("s") + sensor("AccelerometerSensor", "Level") + turned, at=(0, 0, 0.1))
    here.step(500)
    assert read(robot, "Level") == pytest.approx([0, 0, G], abs=1e-3)
    expected = rotation_xyz_degrees([30, 20, 10]).T @ [0, 0, G]
    assert read(robot, "Turned") == pytest.approx(expected, abs=1e-3)


def test_free_fall_weighs_nothing_and_the_first_frame_is_as_if_held() -> None:
    here = simulation()
    robot = spawned(here, sphere("s") + sensor("AccelerometerSensor", "A"), at=(0, 0, 5))
    assert read(robot, "A") == pytest.approx([0, 0, G], abs=1e-6)
    here.step(100)
    assert read(robot, "A") == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_lever_arm_feels_the_centripetal_acceleration() -> None:
    """A ball that spins in free fall about z, with the sensor 0.3 m along its x axis."""
    here = simulation()
    robot = spawned(here, sphere("s") + sensor("AccelerometerSensor", "A", at=(0.3, 0, 0)))
    robot.bodies["B"].set_state(angular=(0, 0, 5))
    here.step(200)
    assert read(robot, "A") == pytest.approx([-25 * 0.3, 0, 0], abs=1e-6)


@pytest.mark.parametrize("place", [(0.5, 0, 0), (0.8, 0, 0), (0.5, 0.2, 0)])
def test_circular_motion_is_omega_squared_times_radius(place: tuple[float, float, float]) -> None:
    """A body whose centre of mass runs around a hinge, driven at a constant rate."""
    here = simulation(gravity=0)
    turning = hinge("J", (0, 0, 1), inside="<Vel>8</Vel><FMax>1000</FMax>")
    robot = spawned(here, sphere("s", (0.5, 0, 0)) + sensor("AccelerometerSensor", "A", at=place), turning)
    here.step(1000)
    expected = -64 * np.array(place)
    assert read(robot, "A") == pytest.approx(expected, abs=64 * 0.5 * 5e-4)


@pytest.mark.parametrize("place", [(0, 0, 0), (0.5, 0, 0), (0.5, 0.2, 0.1)])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0.6, 0, 0.8)])
def test_on_a_turning_body_gravity_is_where_it_is_now(
    place: tuple[float, float, float], axis: tuple[float, float, float]
) -> None:
    """A body that is driven about a hinge at a constant rate, its centre of mass beside the axis."""
    here = simulation()
    turning = hinge("J", axis, inside="<Vel>8</Vel><FMax>1000</FMax>")
    robot = spawned(here, sphere("s", (0.0, 0.1, 0)) + sensor("AccelerometerSensor", "A", at=place), turning)
    here.step(100)
    rate = 8 * np.array(axis, dtype=float)
    for _ in range(20):
        here.step(37)
        up = robot.bodies["B"].rotation.T @ (0, 0, G)  # as it is seen from the body, now
        expected = up + np.cross(rate, np.cross(rate, place))
        assert read(robot, "A") == pytest.approx(expected, abs=64 * 0.1 * 5e-4)


def test_a_ball_that_rolls_feels_its_weight_straight_up() -> None:
    here = simulation(ground=True)
    robot = spawned(here, sphere("s") + sensor("AccelerometerSensor", "A"), at=(0, 0, 0.1))
    robot.bodies["B"].set_state(linear=(2, 0, 0), angular=(0, 20, 0))
    here.step(300)
    for _ in range(20):
        here.step(11)
        slowing = robot.bodies["B"].linear_velocity - robot.bodies["B"].velocities_before()[:3]
        expected = robot.bodies["B"].rotation.T @ (slowing / STEP + (0, 0, G))
        assert read(robot, "A") == pytest.approx(expected, abs=0.01)


def test_what_spins_in_flight_feels_no_weight_though_its_parts_pull_at_each_other() -> None:
    """Two balls on a rod, of which one carries the sensor: they circle about their common centre, 0.25 m away."""
    here = simulation()
    far = f'<Body name="Far">{sphere("f", (0.5, 0, 0))}</Body>'
    rod = "<JointFixed name='Rod'><Body1>B</Body1><Body2>Far</Body2></JointFixed>"
    robot = spawned(here, sphere("s") + sensor("AccelerometerSensor", "A"), rod, more_bodies=far, at=(0, 0, 50))
    robot.bodies["B"].set_state(linear=(0, 0, 1.5), angular=(0, 6, 0))
    robot.bodies["Far"].set_state(linear=(0, 0, -1.5), angular=(0, 6, 0))
    here.step(50)
    for _ in range(20):
        here.step(23)
        assert read(robot, "A") == pytest.approx([36 * 0.25, 0, 0], abs=0.02)


def test_angular_acceleration_pulls_at_the_lever_arm() -> None:
    """Torque 2 N m on a ball of moment 2/5 m r^2, about its own centre: alpha = 2 / 0.004."""
    here = simulation(gravity=0)
    turning = hinge("J", (0, 0, 1), inside="<Vel>1000</Vel><FMax>0.02</FMax>")
    robot = spawned(here, sphere("s") + sensor("AccelerometerSensor", "A", at=(0.3, 0, 0)), turning)
    here.step(1)
    alpha = 0.02 / (0.4 * 1.0 * 0.1**2)
    assert read(robot, "A") == pytest.approx([-((alpha * STEP) ** 2) * 0.3, alpha * 0.3, 0], rel=1e-5, abs=1e-6)


def test_a_slow_accelerometer_tells_the_last_step_alone() -> None:
    """At 10 Hz it reads what one reads in every frame, to the bit, though the steps between run in one call."""
    parts = sensor("AccelerometerSensor", "Slow", "<Frequency>10</Frequency>", at=(0.1, 0.2, 0.3))
    here, other = simulation(), simulation()
    swing = hinge("J", (1, 0, 0))
    slow = spawned(here, sphere("s", (0, 0.5, 0)) + parts, swing)
    every = spawned(other, sphere("s", (0, 0.5, 0)) + parts.replace("<Frequency>10</Frequency>", ""), swing)
    here.step(300)
    other.step(300)
    assert read(slow, "Slow").tolist() == read(every, "Slow").tolist()
    assert np.linalg.norm(read(slow, "Slow")) > 1


def test_a_gyro_reads_the_rate_about_its_own_axes() -> None:
    here = simulation(gravity=0)
    robot = spawned(here, sphere("s") + sensor("GyroSensor", "W", x=90))
    turn = rotation_xyz((0.3, -0.8, 1.2))
    rate = np.array([0.5, -1.0, 2.0])
    robot.bodies["B"].set_state(quaternion=quaternion_from_matrix(turn), angular=rate)
    here.step()
    expected = (robot.bodies["B"].rotation @ rotation_xyz((math.pi / 2, 0, 0))).T @ rate
    assert read(robot, "W") == pytest.approx(expected, rel=1e-6)


def test_an_imu_is_orientation_gyro_and_accelerometer() -> None:
    here = simulation()
    place = {"at": (0.1, 0.2, 0.3), "x": 20.0, "z": 70.0}
    kinds = {"I": "ImuSensor", "W": "GyroSensor", "A": "AccelerometerSensor"}
    parts = "".join(sensor(kind, name, **place) for name, kind in kinds.items())  # type: ignore[arg-type]
    robot = spawned(here, sphere("s", (0, 0.5, 0)) + parts, hinge("J", (1, 0, 0.4)))
    here.step(400)
    imu = read(robot, "I")
    frame = robot.bodies["B"].rotation @ rotation_xyz_degrees([20, 0, 70])
    assert matrix_from_quaternion(imu[:4]) == pytest.approx(frame, abs=1e-6)
    assert imu[4:7].tolist() == read(robot, "W").tolist() and imu[7:].tolist() == read(robot, "A").tolist()


def test_orientation_noise_is_a_small_turn() -> None:
    here = simulation(gravity=0)
    robot = spawned(here, sphere("s") + sensor("ImuSensor", "I", "<OrientationNoise>0.01</OrientationNoise>"))
    turns = []
    for _ in range(2000):
        here.step()
        w, x, y, z = read(robot, "I")[:4]
        assert w * w + x * x + y * y + z * z == pytest.approx(1, abs=1e-6)
        turns.append([2 * x, 2 * y, 2 * z])
    assert np.std(turns, axis=0) == pytest.approx([0.01] * 3, rel=0.08)


@pytest.mark.parametrize("heading", [0.0, 1.0, -2.0, 3.1])
def test_a_compass_reads_the_heading_of_the_spawn_point(heading: float) -> None:
    here = simulation(gravity=0)
    parts = sphere("s") + sensor("CompassSensor", "C") + sensor("CompassSensor", "Left", z=90)
    robot = spawned(here, parts, heading=heading)
    assert robot.read("C") == pytest.approx(heading, abs=1e-6)
    assert robot.read("Left") == pytest.approx(math.remainder(heading + math.pi / 2, 2 * math.pi), abs=1e-6)


def test_a_noisy_compass_stays_within_a_turn() -> None:
    here = simulation(gravity=0)
    robot = spawned(here, sphere("s") + sensor("CompassSensor", "C", "<Noise>0.1</Noise>"), heading=math.pi)
    values = []
    for _ in range(500):
        here.step()
        values.append(float(np.asarray(robot.read("C"))))
    assert min(values) < -3 and max(values) > 3 and max(map(abs, values)) <= math.pi + 1e-6


@pytest.mark.parametrize("roll", [-1.0, 0.0, 0.5])
def test_an_inclinometer_may_measure_roll(roll: float) -> None:
    here = simulation(gravity=0)
    robot = spawned(here, sphere("s") + sensor("InclinometerSensor", "T", "<Axis>roll</Axis>"))
    robot.bodies["B"].set_state(quaternion=quaternion_from_matrix(rotation_xyz((0, roll, 0.7))))
    here.step()
    assert robot.read("T") == pytest.approx(roll, abs=1e-6)  # right side down is a positive turn about +y, forward
