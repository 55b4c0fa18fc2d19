"""Where players believe the ball to be: from above, from what mates say, and after the ends are changed."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ubersim.league.players.field_view import FORGET, FieldView
from ubersim.league.players.team import STALE, TeamPlayer


class Robot:
    """As much of a player's own side as it takes to be told where things are: what it says and sets is kept."""

    def __init__(self, number: int = 2) -> None:
        self.number, self.time, self.sensors = number, 0.0, frozenset({"Vision"})
        self.new: dict[str, Any] = {}
        self.messages: list[tuple[str, bytes]] = []
        self.referee: Any = SimpleNamespace(direction=1.0, state=0)
        self.said: list[bytes] = []
        self.told: dict[tuple[str, str], float] = {}

    def sees(self, place: tuple[float, float], ball: tuple[float, float], *others: tuple[float, float]) -> Robot:
        rows = np.zeros((2 + len(others) + 1, 13))
        rows[:, 3] = 1.0
        rows[0, :2], rows[1, :2] = place, ball
        rows[1, 7:9] = (0.5, -0.25)
        for row, other in enumerate(others, start=2):
            rows[row, :2] = other
        rows[-1] = math.nan  # one that is not on the field
        self.new = {"Vision": rows}
        return self

    def set(self, component: str, name: str, value: float) -> None:
        self.told[component, name] = value

    def broadcast(self, message: bytes) -> None:
        self.said.append(message)


def test_from_above_everything_is_seen() -> None:
    view, me = FieldView(), Robot().sees((1.0, -2.0), (3.0, 4.0), (0.5, 0.5))
    assert view.update(me)  # type: ignore[arg-type]
    assert (view.place, view.ball, view.ball_velocity, view.others) == ((1, -2), (3, 4), (0.5, -0.25), [(0.5, 0.5)])
    me.referee.direction = -1.0  # the ends have been changed: the goal ahead is the other one
    assert view.update(me)  # type: ignore[arg-type]
    assert (view.place, view.ball, view.ball_velocity) == ((-1, 2), (-3, -4), (-0.5, 0.25))
    assert abs(view.heading) == pytest.approx(math.pi)


def test_what_a_mate_says_counts_while_the_ball_is_not_seen() -> None:
    view, me = FieldView(), Robot().sees((0.0, 0.0), (3.0, 4.0))
    view.update(me)  # type: ignore[arg-type]
    view.heard((9.0, 9.0), FORGET / 4)
    assert view.ball == (3, 4), "it has seen it itself a moment ago"
    view.heard((9.0, 9.0), 0.9 * FORGET)
    assert view.ball == (9, 9) and view.ball_velocity == (0, 0)


def team(*places: tuple[float, float], ball: tuple[float, float]) -> list[tuple[TeamPlayer, Robot]]:
    """Players of one team who hear each other."""
    found = [(TeamPlayer(width=12.0, length=18.0), Robot(number)) for number in range(2, 2 + len(places))]
    for round_ in range(3):
        said = [("mate", message) for _, me in found for message in me.said]
        for (player, me), place in zip(found, places, strict=True):
            me.sees(place, ball)
            me.time, me.messages, me.said = 0.2 * round_, [*said, ("stranger", b"noise")], []
            player.sense_and_act(me)  # type: ignore[arg-type]
    return found


def test_the_nearest_attacks_and_the_others_keep_away() -> None:
    ball = (0.0, 1.0)
    found = team((0.0, 0.0), (0.1, -4.0), (4.0, -4.0), ball=ball)
    assert [player._attacks for player, _ in found] == [True, False, False]
    second = found[1][0]
    near = 4.0 * second._driver.model.radius + 0.3
    for spot in [(0.1, 1.0), ball]:
        assert math.dist(second._keep_away(spot, ball), ball) == pytest.approx(near)
    assert second._keep_away((5.0, 5.0), ball) == (5.0, 5.0)


def test_who_sees_no_ball_believes_a_mate_or_goes_home() -> None:
    (one, me), _ = team((0.0, 0.0), (0.1, -4.0), ball=(0.0, 1.0))
    one._driver.sight.ball = None
    me.time += STALE / 2
    one._believe(me)  # type: ignore[arg-type]
    assert one._driver.sight.ball == pytest.approx((0.0, 1.0))
    assert one._cost() < 2.0
    alone, me = TeamPlayer(), Robot().sees((0.0, 0.0), (0.0, 0.0))
    me.new = {"Place": me.new["Vision"][:1]}
    alone.sense_and_act(me)  # type: ignore[arg-type]
    assert alone._driver.sight.ball is None and alone._cost() == math.inf and me.told


def test_in_a_picture_the_ball_is_where_it_is_orange() -> None:
    """The picture of a mirror camera; ahead of the robot is below its middle."""
    view, me = FieldView(), Robot().sees((2.0, 1.0), (0.0, 0.0))
    picture = np.zeros((200, 200, 4), np.uint8)
    picture[60:68, 96:104] = (0, 60, 250, 255)
    me.new = {"Place": me.new["Vision"][:1], "OmniCam": picture}
    assert view.update(me)  # type: ignore[arg-type]
    assert view.ball is not None and abs(view.ball[0] - 2.0) < 0.2
    assert 0.2 < abs(view.ball[1] - 1.0) < 4.0
    empty = FieldView()
    me.new["OmniCam"] = np.zeros_like(picture)
    empty.update(me)  # type: ignore[arg-type]
    assert empty.ball is None
