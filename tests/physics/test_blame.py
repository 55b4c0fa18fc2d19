"""Who is to blame for a step that cannot be taken: the cause, and not what it happens to."""

from __future__ import annotations

import resource

import numpy as np
import pytest

from tests.helpers.world_scenes import add_ball, add_box, empty_world, ground_world
from ubersim.description.materials import Surface
from ubersim.errors import ExplodedError, WorldError
from ubersim.physics import RigidGroup
from ubersim.physics._ode import doubles, lib


def test_what_is_much_too_fast_is_liable_for_what_it_throws_out_of_the_world() -> None:
    """A block grazes a small ball with 90,000 km/s: the ball's spin is out of bounds, and not by its fault."""
    world = empty_world(surface=Surface(mu=1e5), gravity=(0, 0, 0))
    fast = add_box(world, (0, 0, 0), size=(1, 1, 1), mass=1e6, owner=1)
    fast.set_state(linear=(1e5, 9e7, 0))
    add_ball(world, (0.509, 0, 0), radius=0.01, mass=1e-3, owner=2)
    with pytest.raises(ExplodedError) as caught:
        world.run(3)
    assert caught.value.owners == (1,)
    world.remove(1)
    world.run(20)


def test_surfaces_that_are_told_how_to_move_have_a_speed_limit() -> None:
    """So that nothing is thrown out of the world by them: a bar of 2 km may turn with 99 rad/s, and not with 101."""
    world = empty_world()
    bar = world.add_body(1, mass=1, inertia=np.eye(3), position=(0, 0, 0), rotation=np.eye(3))
    world.add_capsule(1, bar, 0, (0, 0, 0), np.eye(3), 1.0, 1998.0)
    bar.make_kinematic()
    group = RigidGroup([bar])
    group.move(0j, 0j, 99j, 99.0)
    with pytest.raises(WorldError, match="anywhere on it"):
        group.move(0j, 0j, 101j, 101.0)


def test_a_step_that_ode_gives_up_leaves_nothing_behind() -> None:
    """A quaternion that is not a number is let through behind the checks' back, 300 times."""
    world = ground_world()
    add_ball(world, (5, 0, 0.1), owner=2)
    peaks = []
    for _ in range(300):
        bomb = add_ball(world, (0, 0, 1), owner=1)
        lib.body_add_torque(world.handle, bomb.handle, doubles(np.array([np.nan, 0, 0])))
        with pytest.raises(ExplodedError) as caught:
            world.run()
        assert caught.value.owners == (1,)
        world.remove(1)
        world.run()
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert peaks[-1] - peaks[50] < 4096  # kB, of 250 failures: they took 16 MB when each left a job list behind
