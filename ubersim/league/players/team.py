"""A simple team with roles: a goalkeeper, the one that is nearest to the ball attacks, the others take their places."""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

from ubersim.league.player_robot import PlayerRobot
from ubersim.league.players.driving import Driver
from ubersim.league.players.goalkeeper import Goalkeeper
from ubersim.league.players.known_robots import Vector

_TOLD = struct.Struct("<Bfffff")
STALE = 0.6
"""After which time what a team mate said is not believed any more [s]."""
PLACES = (
    (0.0, -0.15), (0.3, 0.25), (-0.25, -0.55), (0.25, -0.55), (-0.3, 0.25),
    (-0.7, 0.05), (0.7, 0.05), (0.0, -0.75), (-0.65, -0.35), (0.65, -0.35),
)  # fmt: skip
"""Of numbers 2 to 11 while another attacks: across in half widths, along in half lengths; moved with the ball."""


class _Told(NamedTuple):
    """What a mate said: its cost of getting to the ball, where it is, where it sees the ball, and when that was."""

    cost: float
    place: Vector
    ball: Vector | None
    time: float


class TeamPlayer:
    """Number 1 keeps the goal; of the others one attacks, as all of them agree on over the radio."""

    def __init__(
        self, policy: str = "intercept", width: float = 12.0, length: float = 18.0, goal_width: float = 2.0
    ) -> None:
        """`policy` is that of its goalkeeper; the rest are the field's sizes [m]."""
        self._driver = Driver()
        self._keeper = Goalkeeper(policy, length, goal_width)
        self._width, self._length, self._half_goal = width, length, goal_width / 2
        self._mates: dict[int, _Told] = {}
        self._spoke_at = -math.inf
        self._attacks = False

    def sense_and_act(self, me: PlayerRobot) -> None:
        """One step."""
        for _, message in me.messages:
            self._hear(message, me.time)
        if me.number == 1:
            self._keeper.sense_and_act(me)
            return
        if not self._driver.look(me):
            return
        self._believe(me)
        cost = self._cost()
        if me.time - self._spoke_at > 0.1:
            self._speak(me, cost)
        if self._driver.sight.ball is None:
            self._driver.go(me, self._home(me), (0.0, 0.0), speed=1.0)
            return
        others = [told.cost for number, told in self._mates.items() if number != 1 and me.time - told.time < STALE]
        nearest = cost - (0.5 if self._attacks else 0.0) <= min(others, default=math.inf)
        self._attacks = nearest
        if nearest:
            self._driver.attack(me, self._aim(), self._half_goal)
        else:
            ball = self._driver.sight.ball
            self._driver.go(me, self._keep_away(self._home(me), ball), ball, speed=0.8 * self._driver.model.speed)

    def _aim(self) -> Vector:
        """The half of the goal that is farther from the ball."""
        ball = self._driver.sight.ball or (0.0, 0.0)
        return -math.copysign(0.5 * self._half_goal, ball[0]), self._length / 2

    def _cost(self) -> float:
        """What it takes to get behind the ball: the way, and more if that is on the wrong side [m]."""
        sight = self._driver.sight
        if sight.ball is None:
            return math.inf
        behind = (sight.ball[0], sight.ball[1] - 0.5)
        return math.dist(sight.place, behind) + max(0.0, sight.place[1] - sight.ball[1])

    def _home(self, me: PlayerRobot) -> Vector:
        """Where it belongs while another attacks."""
        ball = self._driver.sight.ball or (0.0, 0.0)
        across, along = PLACES[(me.number - 2) % len(PLACES)]
        x = across * self._width / 2 + 0.3 * ball[0]
        y = along * self._length / 2 + 0.45 * ball[1]
        if along < 0:
            y = min(y, max(-0.42 * self._length, ball[1] - 1.0))
        return x, y

    def _keep_away(self, spot: Vector, ball: Vector) -> Vector:
        """Out of the way of the one that attacks."""
        near = 4.0 * self._driver.model.radius + 0.3
        distance = math.dist(spot, ball)
        if distance >= near:
            return spot
        away = (spot[0] - ball[0], spot[1] - ball[1]) if distance > 1e-3 else (0.0, -1.0)
        size = math.hypot(*away)
        return ball[0] + near * away[0] / size, ball[1] + near * away[1] / size

    def _speak(self, me: PlayerRobot, cost: float) -> None:
        sight, self._spoke_at = self._driver.sight, me.time
        ball = sight.ball or (math.nan, math.nan)
        me.broadcast(_TOLD.pack(me.number, min(cost, 1e6), *sight.place, *ball))

    def _hear(self, message: bytes, time: float) -> None:
        if len(message) != _TOLD.size:
            return
        number, cost, x, y, ball_x, ball_y = _TOLD.unpack(message)
        ball = (ball_x, ball_y) if math.isfinite(ball_x) else None
        self._mates[number] = _Told(cost, (x, y), ball, time)

    def _believe(self, me: PlayerRobot) -> None:
        """Where others see the ball, while it does not see it itself."""
        seen = [told for told in self._mates.values() if told.ball is not None and me.time - told.time < STALE]
        if seen and self._driver.sight.ball is None:
            nearest = min(seen, key=lambda told: told.cost)
            assert nearest.ball is not None
            self._driver.sight.heard(nearest.ball, me.time)
