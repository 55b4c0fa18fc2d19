"""Same inputs, same bits: exact equality, whatever happened before, beside or in another process."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.paths import ROOT
from tests.helpers.world_scenes import UNTURNED, add_ball, add_box, add_robot, ground_world
from ubersim.description.materials import Surface
from ubersim.errors import WorldError
from ubersim.physics import CollisionMesh, RayBatch, World

SURFACE = Surface(mu=0.7, rolling=0.001, spinning=0.0005, bounce=0.2)
CORNERS = np.array([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0), (0, 0, 0.05)])
RAMPS = np.array([(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)])


def furnish(world: World) -> None:
    """A lively scene: hills, two robots that meet, a heap with more than a hundred contacts, a rolling ball."""
    world.add_mesh(0, None, 0, (0, 0, 0), UNTURNED, CollisionMesh(CORNERS, RAMPS))
    add_robot(world, 11, 0, 0.2)
    add_robot(world, 12, 0.2, 1.5)
    for place in range(20):
        size = (0.3 + 0.01 * (place % 3), 0.3, 0.2)
        add_box(world, (4 + 0.02 * (place % 4), 0.01 * place, 0.15 + 0.21 * place), size=size, owner=0)
    add_ball(world, (-2, 0, 0.3), owner=0).set_state(linear=(1.5, 0.2, 0), angular=(0.3, 2, 1))


def scene(solver: str = "auto") -> World:
    world = ground_world(surface=SURFACE, solver=solver)
    furnish(world)
    return world


def disturb(world: World) -> None:
    """Commands in the midst of a run."""
    robot = next(body for body in world.bodies if body.owner == 11)
    robot.add_force((3, 1, 0))
    next(joint for joint in world.joints if joint.owner == 12).set(2, 4.0)


def run(world: World, frames: int = 400) -> list[str]:
    digests = []
    for frame in range(frames):
        if frame % 50 == 25:
            disturb(world)
        world.run()
        digests.append(world.digest())
    return digests


@pytest.mark.parametrize("solver", ["exact", "quick", "auto"])
def test_two_runs_are_equal(solver: str) -> None:
    frames = 60 if solver == "exact" else 300
    assert run(scene(solver), frames) == run(scene(solver), frames)


def test_another_history_changes_nothing() -> None:
    """Robots came, moved and left, before and between those that count; the frames are counted anew."""
    world = ground_world(surface=SURFACE)
    for owner in (1, 2, 3):
        add_robot(world, owner, 2.0 * owner, 3.0)
    world.run(70)
    world.remove(2)
    add_ball(world, (9, 9, 1), owner=4)
    world.run(30)
    furnish(world)
    for owner in (4, 1, 3):
        world.remove(owner)
    world.frame = 0
    assert run(world) == run(scene())


def test_the_same_without_the_ground_plane_at_the_head() -> None:
    """What is created after the robots have left does not depend on what stood there."""
    plain, storied = ground_world(surface=SURFACE), ground_world(surface=SURFACE)
    for owner in range(1, 60):
        add_robot(storied, owner, owner % 8 * 1.0, owner // 8 * 1.0)
    storied.run(40)
    for owner in range(59, 0, -1):
        storied.remove(owner)
    for world in (plain, storied):
        add_robot(world, 100, 0, 0)
        add_robot(world, 101, 0.3, 1.0)
    plain.run(300)
    storied.run(300)
    assert plain.digest() == storied.digest()


@pytest.mark.parametrize("solver", ["quick", "auto"])
def test_no_solver_draws_lots(solver: str) -> None:
    """What happens depends on the state alone, not on when it happens."""
    late = scene(solver)
    late.frame = 1000
    assert run(late, 100) == run(scene(solver), 100)


def test_the_scene_is_as_lively_as_it_claims() -> None:
    world = scene()
    world.run(300)
    assert len(world.contacts().depths) > 60


def test_worlds_in_other_threads_change_nothing() -> None:
    wanted = run(scene(), 100)
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(run(scene(), 100))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 3


def test_restored_world_continues_to_the_bit() -> None:
    world = scene()
    world.run(120)
    disturb(world)  # a force that waits for the next step belongs to the state
    saved = world.snapshot()
    continued = run(world, 150)
    world.restore(saved)
    assert world.frame == 120
    assert run(world, 150) == continued


def test_restore_in_a_fresh_world_and_in_a_new_process(tmp_path: Path) -> None:
    world = scene()
    world.run(120)
    disturb(world)
    np.savez(tmp_path / "saved.npz", **world.snapshot())  # type: ignore[arg-type]
    continued = run(world, 100)
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "import numpy as np; from tests.physics import test_determinism as t\n"
        "world = t.scene()\n"
        f"world.restore(dict(np.load({str(tmp_path / 'saved.npz')!r})))\n"
        "print('\\n'.join(t.run(world, 100)))\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == continued


def test_snapshot_does_not_disturb() -> None:
    watched, unwatched = scene(), scene()
    for _ in range(20):
        watched.run(5)
        watched.snapshot()
        watched.digest()
        RayBatch(watched.bodies[0], (0, 0, 3), [(0, 1, -1)], 50.0).cast()
    unwatched.run(100)
    assert watched.digest() == unwatched.digest()


def test_snapshot_of_another_world_is_refused() -> None:
    other = ground_world()
    add_ball(other, (0, 0, 1))
    with pytest.raises(WorldError, match="snapshot is of 1 bodies"):
        scene().restore(other.snapshot())
    spoilt = other.snapshot()
    spoilt["bodies"][0, 0] = np.nan
    with pytest.raises(WorldError, match="not finite"):
        other.restore(spoilt)


def test_digest_follows_the_given_order() -> None:
    world = ground_world()
    for place in range(3):
        add_ball(world, (place, 0, 1))
    assert world.digest() == world.digest([0, 1, 2]) != world.digest([2, 1, 0])
