"""Bodies that move as one piece: the same bits as one body after the other, and all of them or none."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.world_scenes import add_ball, empty_world
from ubersim.errors import WorldError
from ubersim.physics import Body, RigidGroup, World

POINT, VELOCITY, SWING, TURN = complex(0.3, -0.7), complex(0.41, 1.3), complex(-0.0013, 0.77), 0.77


def scattered(count: int) -> tuple[World, list[Body]]:
    world, rng = empty_world(), np.random.default_rng(count)
    return world, [add_ball(world, place) for place in rng.uniform(-3, 3, (count, 3))]


@pytest.mark.parametrize("count", [1, 2, 7])
def test_the_same_bits_as_one_body_after_the_other(count: int) -> None:
    (world, bodies), (single, alone) = scattered(count), scattered(count)
    RigidGroup(bodies).move(POINT, VELOCITY, SWING, TURN)
    for body in alone:
        x, y, _ = body.position.tolist()
        linear = VELOCITY + SWING * (complex(x, y) - POINT)
        body.set_state(linear=(linear.real, linear.imag, 0.0), angular=(0.0, 0.0, TURN))
    assert world.digest() == single.digest()  # the arrays know it at once
    world.run(10)
    single.run(10)
    assert world.digest() == single.digest()  # and so does ODE


def test_others_are_left_alone() -> None:
    _, bodies = scattered(3)
    RigidGroup(bodies[1:]).move(POINT, VELOCITY, SWING, TURN)
    assert not bodies[0].linear_velocity.any() and not bodies[0].angular_velocity.any()
    assert bodies[1].linear_velocity.any() and bodies[2].linear_velocity.any()


@pytest.mark.parametrize(
    ("velocity", "turn"), [(complex(2e8), 0.0), (complex(0, np.nan), 0.0), (complex(np.inf), 0.0), (0j, -2e8)]
)
def test_too_fast_is_refused_and_nothing_moves(velocity: complex, turn: float) -> None:
    world, bodies = scattered(3)
    before = world.digest()
    with pytest.raises(WorldError, match=r"a body's velocity is .*, allowed is up to 100000"):
        RigidGroup(bodies).move(POINT, velocity, SWING, turn)
    assert world.digest() == before


def test_one_that_is_far_out_holds_all_of_them() -> None:
    world = empty_world()
    bodies = [add_ball(world, (0, 0, 0)), add_ball(world, (9e5, 0, 0))]
    with pytest.raises(WorldError, match="a body's velocity is"):
        RigidGroup(bodies).move(0j, 0j, complex(0, 1e3), 1e3)
    assert not bodies[0].angular_velocity.any()


def test_what_is_removed_does_not_move_and_the_others_still_do() -> None:
    world = empty_world()
    gone, stays = add_ball(world, (0, 0, 0), owner=1), add_ball(world, (1, 0, 0), owner=2)
    first, second = RigidGroup([gone]), RigidGroup([stays])
    world.remove(1)
    with pytest.raises(WorldError, match="were removed"):
        first.move(POINT, VELOCITY, SWING, TURN)
    with pytest.raises(WorldError, match="were removed"):
        RigidGroup([gone])
    second.move(0j, VELOCITY, 0j, TURN)
    np.testing.assert_array_equal(stays.linear_velocity, (VELOCITY.real, VELOCITY.imag, 0))


def test_a_piece_has_one_owner() -> None:
    world = empty_world()
    bodies = [add_ball(world, (0, 0, 0), owner=1), add_ball(world, (1, 0, 0), owner=2)]
    for wrong in ([], bodies, [bodies[0], add_ball(empty_world(), (0, 0, 0))]):
        with pytest.raises(WorldError, match="all of them of one owner in one world"):
            RigidGroup(wrong)
