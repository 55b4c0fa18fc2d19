"""A goalkeeper with six policies, from one that a child can beat to one that is hard to beat."""

from __future__ import annotations

import math
from typing import Literal, get_args

from ubersim.errors import UberSimError
from ubersim.league.player_robot import PlayerRobot
from ubersim.league.players.driving import Driver
from ubersim.league.players.known_robots import SSL, Vector

Policy = Literal["still", "random", "pattern", "block", "intercept", "mixed"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


class Goalkeeper:
    """Keeps the goal at the negative end of y, in the axes of its team.

    `still` does not move, `random` goes to places of the goal line by chance, `pattern` goes to and fro, `block` stays
    between the ball and the goal's middle, `intercept` goes to where the ball will cross its line, `mixed` is one of
    these five by chance, another one every three seconds.
    """

    def __init__(self, policy: str = "intercept", length: float = 18.0, goal_width: float = 2.0) -> None:
        """`length` of the field and `goal_width` [m]."""
        if policy not in POLICIES:
            raise UberSimError(f"a goalkeeper has no policy {policy!r}; it has {', '.join(POLICIES)}")
        self._policy: Policy = next(known for known in POLICIES if known == policy)
        self._driver = Driver()
        self._length, self._half_goal = length, goal_width / 2
        self._target = 0.0
        self._now: Policy = "block"
        self._drawn_at = -math.inf

    def sense_and_act(self, me: PlayerRobot) -> None:
        """One step."""
        driver = self._driver
        if not driver.look(me):
            return
        policy = self._drawn(me) if self._policy == "mixed" else self._policy
        if policy == "still":
            driver.stand(me)
            return
        sight, ball = driver.sight, driver.sight.ball
        line = -self._length / 2 + 1.6 * driver.model.radius
        if policy in ("block", "intercept") and ball is not None and self._clears(me, ball):
            return
        across = self._across(policy, me, line)
        most = self._half_goal - 0.2 * driver.model.radius
        spot = (max(-most, min(most, across)), line)
        ahead = ball if ball is not None else (sight.place[0], sight.place[1] + 1.0)
        driver.go(me, spot, (sight.place[0] * 0.5 + ahead[0] * 0.5, max(ahead[1], line + 0.5)), gentle=6.0)

    def _drawn(self, me: PlayerRobot) -> Policy:
        if me.time - self._drawn_at > 3.0:
            self._drawn_at = me.time
            self._now = POLICIES[int(me.random.integers(5))]
        return self._now

    def _across(self, policy: Policy, me: PlayerRobot, line: float) -> float:
        """Where on its line it should be [m]."""
        sight, ball = self._driver.sight, self._driver.sight.ball
        if policy == "pattern":
            return self._half_goal * math.sin(math.tau * me.time / 4.0)
        if policy == "random":
            if abs(sight.place[0] - self._target) < 0.1 or me.random.random() < 0.02:
                self._target = float(me.random.uniform(-self._half_goal, self._half_goal))
            return self._target
        if ball is None:
            return 0.0
        vx, vy = sight.ball_velocity
        if policy == "intercept" and vy < -0.4:
            when = (line - ball[1]) / vy
            if 0 < when < 4.0:
                return ball[0] + when * vx
        goal = -self._length / 2 - 0.3
        share = (line - goal) / max(0.3, ball[1] - goal)
        return share * ball[0]

    def _clears(self, me: PlayerRobot, ball: Vector) -> bool:
        """Kicks a slow ball away that lies before it."""
        driver = self._driver
        slow = math.hypot(*driver.sight.ball_velocity) < 0.6
        near = 1.4 if driver.model is not SSL else 0.5
        if not (slow and abs(ball[0]) < self._half_goal + near and ball[1] < -self._length / 2 + 2 * near):
            return False
        if ball[1] < driver.sight.place[1]:
            return False
        driver.attack(me, (math.copysign(self._half_goal * 4, ball[0]), self._length / 2), self._half_goal * 3)
        return True
