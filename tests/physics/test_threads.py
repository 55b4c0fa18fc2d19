"""Islands on several threads: the same bits for any number of them."""

from __future__ import annotations

import os

import pytest

from tests.helpers.world_scenes import add_ball, add_box, add_robot, ground_world
from ubersim.errors import ExplodedError, WorldError
from ubersim.physics import World


def crowd() -> World:
    """Robots that drive, a heap, and balls: many islands of all sizes, which change as they meet."""
    world = ground_world()
    for number in range(20):
        add_robot(world, number + 1, 0.9 * (number % 5), 1.2 * (number // 5))
    for number in range(8):
        add_box(world, (6.0, 0.05 * number, 0.11 + 0.21 * number), owner=30)
        add_ball(world, (5.5, 0.3 * number, 0.3), owner=31 + number)
    return world


def state(world: World) -> bytes:
    return b"".join(array.tobytes() for array in (world.positions, world.quaternions, world.linear_velocities))


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_bits(threads: int) -> None:
    alone, together = crowd(), crowd()
    together.use_threads(threads)
    for _ in range(4):
        alone.run(30)
        together.run(30)
        assert state(alone) == state(together)
    assert alone.failed_solves == together.failed_solves


def test_threads_may_be_changed_between_steps() -> None:
    alone, changing = crowd(), crowd()
    for threads in (2, 1, 4):
        changing.use_threads(threads)
        changing.run(10)
        alone.run(10)
    assert state(alone) == state(changing)


def test_an_explosion_is_undone_with_threads_too() -> None:
    world = crowd()
    world.use_threads(2)
    with pytest.raises(ExplodedError) as failure:
        for _ in range(100):
            world.bodies[0].add_force((1e12, 0, 0))
            world.run()
    assert 1 in failure.value.owners
    for owner in failure.value.owners:
        world.remove(owner)
    world.run(5)


def test_a_forked_child_goes_on_alone() -> None:
    world = crowd()
    world.use_threads(2)
    world.run(2)
    child = os.fork()
    if not child:
        world.run(2)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_senseless_numbers_are_refused() -> None:
    with pytest.raises(WorldError, match="threads"):
        crowd().use_threads(0)
