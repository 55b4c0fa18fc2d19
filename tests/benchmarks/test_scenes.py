"""A scene is the same thing in every engine, and a robot's scene is the robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.scenes import Scene, crowds
from benchmarks.scenes.contestants import Bare, Ours
from benchmarks.scenes.in_mujoco import MuJoCo
from benchmarks.scenes.ours import UberSim
from benchmarks.scenes.robots import scene_of
from benchmarks.scenes.scene import ball, box
from tests.helpers.robot_programs import document
from ubersim.description.materials import Surface
from ubersim.geometry import rotation_about
from ubersim.simulation import Simulation


def test_joints_mean_the_same() -> None:
    """A chain with all kinds, whose first bodies are now the child, now the parent, in motion from the beginning."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    tilted = rotation_about(0, 0.4)
    inertia = tilted @ np.diag([0.01, 0.02, 0.025]) @ tilted.T
    turning = np.array([0.3, 0.0, 1.0])
    places = [np.array([0.5, 0, 0]), np.array([1.0, 0, 0.2]), np.array([1.5, 0, 0])]
    for place in places:
        scene.add(None, 1.0, position=place, inertia=inertia, linear=np.cross(turning, place), angular=turning)
    scene.join("ball", 0, None, (0, 0, 0))
    scene.join("hinge", 0, 1, (0.75, 0, 0), (0, 1, 0))
    scene.join("slider", 2, 1, (1.2, 0, 0), (1, 0, 0))
    ours, theirs = UberSim(scene), MuJoCo(scene, "RK4")
    assert theirs.energy == pytest.approx(ours.energy)
    for engine in (ours, theirs):
        engine.run(300)
    np.testing.assert_allclose(theirs.positions, ours.positions, atol=5e-3)
    np.testing.assert_allclose(theirs.rotations, ours.rotations, atol=2e-2)


def test_motors_and_friction_mean_the_same() -> None:
    scene = Scene(surfaces={("box", "ground"): Surface(mu=0.3), ("box", "ball"): Surface(mu=0.0)})
    scene.ground("ground")
    load = scene.add(box((0.4, 0.4, 0.1), (0, 0, 0.05), material="box"), 2.0, linear=(1.0, 0.5, 0))
    arm = scene.add(None, 0.5, position=(5, 0, 1), inertia=0.1 * np.eye(3))
    scene.join("hinge", arm, None, (5, 0, 1), (1, 0, 0), Vel=3.0, FMax=0.2)
    scene.add(ball(0.1, (9, 0, 0.5), "ball"), 1.0)
    engines = [UberSim(scene), MuJoCo(scene)]
    for engine in engines:
        engine.run(200)
        assert engine.angular[arm, 0] == pytest.approx(0.2 / 0.1 * 0.2, rel=1e-3)
        assert np.linalg.norm(engine.linear[load]) == pytest.approx(np.hypot(1.0, 0.5) - 0.3 * 9.81 * 0.2, rel=0.02)


@pytest.mark.parametrize("name", ["scout", "msl_omni", "aibo", "humanoid"])
def test_a_robots_scene_goes_on_as_the_robot(name: str) -> None:
    simulation = Simulation()
    simulation.spawn(document(name), position=(0.3, -0.2, 0.0), heading=0.7)
    simulation.step(100)
    engine = UberSim(scene_of(simulation))
    np.testing.assert_allclose(engine.positions, simulation.world.positions)
    simulation.world.run(50)  # without the motors' programs, which the scene does not have either
    engine.run(50)
    np.testing.assert_allclose(engine.positions, simulation.world.positions, atol=1e-5)


def test_bare_ode_steps_scenes(tmp_path: Path) -> None:
    program = Bare.compiled(tmp_path)
    for scene in (crowds.segways(2), crowds.robots("humanoid", 1, False)):
        with Bare(program, scene, "exact", 10, 1.0) as bare:
            assert 0 < bare.turn(10, 1.0) < 1.0
        assert Ours(scene).turn(10, 1.0) > 0
