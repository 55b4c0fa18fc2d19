"""Where goalkeepers of each policy stand, without a world."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.league.test_field_view import Robot
from ubersim.description import load_world, shipped
from ubersim.league.placing import clear_of, formation_places
from ubersim.league.players.goalkeeper import Goalkeeper


def keeper(ball: tuple[float, float] | None, velocity: tuple[float, float] = (0.0, 0.0)) -> Any:
    made: Any = Goalkeeper("intercept", 18.0, 2.0)
    made._driver.sight.ball, made._driver.sight.ball_velocity = ball, velocity
    return made


def test_it_goes_where_the_ball_will_cross_its_line() -> None:
    me: Any = Robot(1)
    assert keeper((1.0, 0.0), (0.5, -4.0))._across("intercept", me, -8.0) == pytest.approx(1.0 + 2 * 0.5)
    assert keeper(None)._across("block", me, -8.0) == 0.0
    straight = keeper((0.0, 0.0))._across("block", me, -8.0)
    aside = keeper((4.0, 0.0))._across("block", me, -8.0)
    assert straight == 0.0 < aside < 4.0


def test_by_chance_it_goes_anywhere_on_its_line() -> None:
    me: Any = Robot(1)
    me.random = np.random.default_rng(1)
    one = keeper((0.0, 0.0))
    seen = set()
    for _ in range(300):
        target = one._across("random", me, -8.0)
        one._driver.sight.place = (target, -8.0)
        seen.add(round(target, 3))
    assert len(seen) > 50 and max(map(abs, seen)) <= 1.0
    drawn = set()
    for number in range(40):
        me.time = 4.0 * number
        drawn.add(one._drawn(me))
        assert one._drawn(me) in drawn
    assert len(drawn) == 5


def test_a_ball_behind_it_is_not_cleared() -> None:
    me: Any = Robot(1)
    one = keeper((0.0, -8.9))
    one._driver.sight.place = (0.0, -8.0)
    assert not one._clears(me, (0.0, -8.9))


def test_who_has_no_place_waits_beside_the_field() -> None:
    field = load_world(shipped("worlds/msl_12x8.xml")).field
    assert field is not None
    places = [formation_places([(0.0, -0.5)], field, number, 1) for number in (1, 2, 3)]
    assert abs(places[0][0]) <= field.width / 2 < abs(places[1][0])
    assert math.dist(places[1], places[2]) == pytest.approx(0.6)
    moved = clear_of((1.0, 1.0), (1.0, 1.0), 2.0, [], 0.25, (0.0, -6.0))
    assert math.dist(moved, (1.0, 1.0)) >= 2.0 - 1e-9
