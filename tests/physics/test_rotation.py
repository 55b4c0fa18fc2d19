"""Free bodies and tops: what turns keeps turning."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from tests.helpers import closed_forms as forms
from tests.helpers.world_scenes import empty_world
from ubersim.geometry import Array, rotation_about
from ubersim.physics import World

MOMENTS = np.diag([1.0, 2.0, 2.8])


def tumbling(step: float, rates: tuple[float, float, float]) -> World:
    """A free body with three different moments, which tumbles about its middle axis."""
    world = empty_world(step, gravity=(0, 0, 0))
    body = world.add_body(1, mass=1, inertia=MOMENTS, position=(0, 0, 0), rotation=np.eye(3))
    body.set_state(angular=rates)
    return world


def momentum(world: World) -> Array:
    rotation = world.rotations[0]
    result: Array = rotation @ MOMENTS @ rotation.T @ world.angular_velocities[0]
    return result


def energy(world: World) -> float:
    return 0.5 * float(world.angular_velocities[0] @ momentum(world))


def direction_error(step: float) -> float:
    """How far the momentum's direction strays within 10 s [rad]."""
    world = tumbling(step, (0.1, 5.0, 0.1))
    start = momentum(world)
    largest = 0.0
    for _ in range(round(10 / step / 5)):
        world.run(5)
        now = momentum(world)
        cosine = float(now @ start) / float(np.linalg.norm(now) * np.linalg.norm(start))
        largest = max(largest, math.acos(min(1.0, cosine)))
    return largest


def test_free_body_keeps_energy_and_amount_of_momentum() -> None:
    world = tumbling(0.001, (0.1, 5.0, 0.1))
    start, amount = energy(world), np.linalg.norm(momentum(world))
    world.run(10_000)
    assert energy(world) == pytest.approx(start, rel=1e-9)
    assert np.linalg.norm(momentum(world)) == pytest.approx(amount, rel=1e-9)


def test_direction_of_momentum_is_right_to_second_order() -> None:
    coarse, fine = direction_error(0.002), direction_error(0.001)
    assert fine < 1e-5
    assert fine == pytest.approx(coarse / 4, rel=0.1)


def test_fast_body_does_not_gain_energy() -> None:
    world = tumbling(0.005, (100.0, 100.0, 3.0))  # turns by 40 degrees in each step
    start = energy(world)
    world.run(2000)
    assert start * 0.99 < energy(world) <= start * (1 + 1e-9)


def test_wheel_turns_by_as_much_as_its_rate_says() -> None:
    world = empty_world(0.005, gravity=(0, 0, 0))
    wheel = world.add_body(1, mass=1, inertia=np.diag([0.02, 0.01, 0.01]), position=(0, 0, 0), rotation=np.eye(3))
    wheel.set_state(angular=(200.0, 0, 0))  # a radian per step: small-angle rotation would lose 7 %
    world.run(200)
    wanted = rotation_about(0, 200.0)
    assert wheel.rotation == pytest.approx(wanted, abs=1e-9)


def test_top_precesses() -> None:
    mass, arm, axial, tilt, spin = 1.0, 0.2, 0.005, 0.3, 300.0
    turn = rotation_about(1, tilt)
    world = empty_world(0.0002)
    inertia = np.diag([0.0025, 0.0025, axial])
    top = world.add_body(1, mass=mass, inertia=inertia, position=turn[:, 2] * arm, rotation=turn)
    world.add_joint(1, "ball", top, None, anchor=(0, 0, 0))
    rate = forms.precession_rate(mass, arm, spin, axial, 0.0025 + mass * arm**2, tilt)
    angular = rate * np.array([0, 0, 1]) + (spin - rate * math.cos(tilt)) * turn[:, 2]
    top.set_state(angular=angular, linear=np.cross(angular, top.position))
    world.run(5000)
    azimuth = math.atan2(top.position[1], top.position[0])
    assert azimuth == pytest.approx(rate * 1.0, rel=0.01)
    assert float(top.angular_velocity @ top.rotation[:, 2]) == pytest.approx(spin, rel=1e-6)
    assert top.position[2] == pytest.approx(arm * math.cos(tilt), abs=0.003)


def test_a_spun_wheel_resists_as_an_independent_engine_says() -> None:
    """The same free gyroscope in MuJoCo, with a step so small that it may count as the truth."""
    text = """<mujoco><option timestep="0.0001" gravity="0 0 0" integrator="RK4"/><worldbody><body><freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 2 2.8"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[3:] = (1.0, 3.0, 0.5)
    for _ in range(20_000):
        mujoco.mj_step(model, data)
    world = tumbling(0.0005, (1.0, 3.0, 0.5))
    world.run(4000)
    assert abs(float(world.quaternions[0] @ data.qpos[3:])) == pytest.approx(1.0, abs=2e-5)
