"""The simple team: eleven have eleven places."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import pytest

from ubersim.league.players.known_robots import SSL
from ubersim.league.players.team import TeamPlayer


@pytest.mark.parametrize("ball", [(0.0, 0.0), (2.9, 4.4), (-2.9, -4.4), (0.0, -4.0), (1.0, 4.0)])
def test_nobody_stands_where_another_does(ball: tuple[float, float]) -> None:
    homes = []
    for number in range(2, 12):
        player = TeamPlayer(width=6.0, length=9.0, goal_width=1.0)
        player._driver.sight.ball = ball
        me: Any = SimpleNamespace(number=number)
        homes.append(player._home(me))
    assert min(math.dist(one, other) for one, other in itertools.combinations(homes, 2)) > 3 * SSL.radius
