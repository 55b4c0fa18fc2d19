"""The same file in MuJoCo: masses, inertias, where joints lead, and how an arm swings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from gymnasium.envs import mujoco as assets

from tests.importers.files import arm_urdf, written
from tests.importers.kinematics import placed
from ubersim.description import RobotDescription
from ubersim.geometry import quaternion_from_matrix
from ubersim.importers import ImportOptions, import_robot
from ubersim.simulation import Simulation

AHEAD_IS_Y = ImportOptions(forward="y")
ASSETS = Path(assets.__file__).parent / "assets"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings into the present folder."""
    monkeypatch.chdir(tmp_path)


def both(path: Path) -> tuple[RobotDescription, Any]:
    """Ours, and MuJoCo's."""
    return import_robot(path, AHEAD_IS_Y).description(), mujoco.MjModel.from_xml_path(str(path))


def oracle_inertia(m: Any, data: Any, bodies: list[int]) -> tuple[float, Any, Any]:
    """Mass, centre and inertia of bodies that are one of ours, in the world."""
    mass = sum(m.body_mass[body] for body in bodies)
    center = sum(m.body_mass[body] * data.xipos[body] for body in bodies) / mass
    tensor = np.zeros((3, 3))
    for body in bodies:
        axes, off = data.ximat[body].reshape(3, 3), data.xipos[body] - center
        tensor += (axes * m.body_inertia[body]) @ axes.T + m.body_mass[body] * (
            off @ off * np.eye(3) - np.outer(off, off)
        )
    return mass, center, tensor


def merged(m: Any, robot: RobotDescription) -> dict[str, list[int]]:
    """MuJoCo's bodies by the name of ours that they are part of: those without joints belong to their parents."""
    found: dict[str, list[int]] = {}
    for body in range(1, m.nbody):
        top = body
        while m.body_jntnum[top] == 0 and m.body_parentid[top]:
            top = m.body_parentid[top]
        found.setdefault(m.body(top).name or f"body_{top}", []).append(body)
    return {name: bodies for name, bodies in found.items() if name in {body.name for body in robot.bodies}}


def test_masses_and_inertias_of_an_arm(tmp_path: Path) -> None:
    robot, m = both(written(tmp_path, arm_urdf()))
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    assert robot.mass_properties().mass == pytest.approx(m.body_mass.sum(), rel=1e-9)
    for body in robot.bodies:
        mass, center, tensor = oracle_inertia(m, data, [m.body(body.name).id])
        ours = body.mass_properties()
        assert ours.mass == pytest.approx(mass, rel=1e-9)
        assert ours.center == pytest.approx(center, abs=1e-9)
        assert ours.inertia == pytest.approx(tensor, abs=1e-9 * tensor.max())


@pytest.mark.parametrize("name", ["ant", "half_cheetah", "swimmer", "inverted_double_pendulum"])
def test_masses_and_inertias_of_files_that_others_wrote(name: str) -> None:
    robot, m = both(ASSETS / f"{name}.xml")
    data = mujoco.MjData(m)
    for joint in robot.joints:
        if joint.kind in ("hinge", "slider"):
            data.joint(joint.name).qpos[0] = joint.initial_position  # type: ignore[attr-defined]
    mujoco.mj_forward(m, data)
    parts = merged(m, robot)
    moving = sum(body.mass_properties().mass for body in robot.bodies if body.name != "world")
    assert moving == pytest.approx(m.body_mass[1:].sum(), rel=1e-9)
    for body in robot.bodies:
        if max(m.body_jntnum[number] for number in parts.get(body.name, [0])) > 1 or body.name not in parts:
            continue  # a share of its mass is in the links between its joints
        mass, center, tensor = oracle_inertia(m, data, parts[body.name])
        ours = body.mass_properties()
        assert ours.mass == pytest.approx(mass, rel=1e-9) and ours.center == pytest.approx(center, abs=1e-9)
        assert ours.inertia == pytest.approx(tensor, abs=1e-9 * tensor.max())


def test_joints_lead_where_they_lead_in_mujoco(tmp_path: Path) -> None:
    robot, m = both(written(tmp_path, arm_urdf(8)))
    data, rng = mujoco.MjData(m), np.random.default_rng(3)
    for _ in range(20):
        positions = {joint.name: float(rng.uniform(-2, 2)) for joint in robot.joints}
        for name, value in positions.items():
            data.joint(name).qpos[0] = value
        mujoco.mj_forward(m, data)
        motions = placed(robot, positions)
        for body in robot.bodies:
            center = motions[body.name].apply(body.mass_properties().center)
            assert center == pytest.approx(data.xipos[m.body(body.name).id], abs=1e-6)


def test_joints_of_the_simulation_read_these_positions(tmp_path: Path) -> None:
    robot, _ = both(written(tmp_path, arm_urdf(8)))
    rng = np.random.default_rng(4)
    with Simulation() as simulation:
        made = simulation.spawn(robot, position=(0.0, 0.0, 0.0))
        positions = {joint.name: float(rng.uniform(-2, 2)) for joint in robot.joints}
        for body in robot.bodies:
            motion = placed(robot, positions)[body.name]
            place = motion.apply(body.mass_properties().center)
            made.bodies[body.name].set_state(place, quaternion_from_matrix(motion.rotation), np.zeros(3), np.zeros(3))
        for name, value in positions.items():
            assert made.joints[name].position() == pytest.approx(value, abs=1e-6)


def test_an_arm_swings_as_in_mujoco(tmp_path: Path) -> None:
    text = arm_urdf(3).replace("prismatic", "revolute").replace('lower="-2" upper="2"', 'lower="-3.1" upper="3.1"')
    robot, m = both(written(tmp_path, text))
    m.opt.timestep, m.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    began = data.xipos[1:].copy()
    farthest = np.zeros(len(began))
    for _ in range(10_000):
        mujoco.mj_step(m, data)
        farthest = np.maximum(farthest, np.linalg.norm(data.xipos[1:] - began, axis=1))
    mujoco.mj_forward(m, data)
    with Simulation(step=0.0005) as simulation:
        made = simulation.spawn(robot, position=(0.0, 0.0, 0.0))
        simulation.step(2000)
        for body in robot.bodies:
            number = m.body(body.name).id
            away = np.linalg.norm(made.bodies[body.name].position - data.xipos[number])
            assert away < 0.01 * farthest[number - 1], f"{body.name} is {away:.4f} m away of {farthest[number - 1]:.3f}"


def test_what_points_ahead_is_turned(tmp_path: Path) -> None:
    path = written(tmp_path, arm_urdf())
    ahead, turned = import_robot(path, AHEAD_IS_Y).description(), import_robot(path).description()
    for one, other in zip(ahead.bodies, turned.bodies, strict=True):
        x, y, z = one.mass_properties().center
        assert other.mass_properties().center == pytest.approx([-y, x, z], abs=1e-12)


SWING = """<mujoco><compiler angle="radian"/><option integrator="RK4" timestep="0.0001"/><worldbody>
  <body name="upper" pos="0 0 2"><joint name="a" axis="0 1 0" {}/>
    <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.02"/>
    <body name="lower" pos="0.4 0 0"><joint name="b" axis="0 1 0" {}/>
      <inertial pos="0.2 0.05 0" mass="0.7" diaginertia="0.01 0.02 0.02"/>
      <body name="rod" pos="0.3 0 0"><joint name="c" type="slide" axis="1 0 0" range="-0.2 0.2" {}/>
        <inertial pos="0 0 0" mass="0.2" diaginertia="0.001 0.001 0.001"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    "dynamics",
    [
        'damping="0.1"',
        'armature="0.05"',
        'damping="0.2" armature="0.1" frictionloss="0.2"',
        'stiffness="3" damping="0.05"',
    ],
)
def test_damping_friction_armature_and_springs_are_mujocos(tmp_path: Path, dynamics: str) -> None:
    robot, m = both(written(tmp_path, SWING.format(*[dynamics] * 3), "swing.xml"))
    data = mujoco.MjData(m)
    mujoco.mj_step(m, data, 10_000)
    mujoco.mj_forward(m, data)
    with Simulation(step=0.0005) as simulation:
        made = simulation.spawn(robot)
        simulation.step(2000)
        for joint in robot.joints:
            ours, theirs = made.joints[joint.name].position(), float(data.joint(joint.name).qpos[0])
            assert ours == pytest.approx(theirs, abs=0.01), joint.name
