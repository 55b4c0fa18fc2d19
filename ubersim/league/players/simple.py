"""Players with one idea each: a chaser, a dribbler, a random walker."""

from __future__ import annotations

import math

from ubersim.league.player_robot import PlayerRobot
from ubersim.league.players.driving import Driver
from ubersim.league.players.known_robots import Vector


class Chaser:
    """Runs after the ball, and into it."""

    def __init__(self, speed: float | None = None) -> None:
        """`speed`: as fast as it runs [m/s]; None: as fast as it can."""
        self._driver, self._speed = Driver(), speed

    def sense_and_act(self, me: PlayerRobot) -> None:
        """One step."""
        if self._driver.look(me):
            ball = self._driver.sight.ball
            if ball is None:
                self._driver.stand(me)
            else:
                self._driver.go(me, ball, ball, self._speed, gentle=4.0)


class Dribbler:
    """Takes the ball to the goal, or to another place, and shoots when that is in reach."""

    def __init__(
        self, x: float | None = None, y: float | None = None, length: float = 18.0, goal_width: float = 2.0
    ) -> None:
        """Where to [m], in the axes of its team; by default, one half of the goal, as chance has it."""
        self._driver, self._half_goal = Driver(), goal_width / 2
        self._x, self._y = x, length / 2 if y is None else y

    def sense_and_act(self, me: PlayerRobot) -> None:
        """One step."""
        if self._x is None:
            self._x = float(me.random.choice([-0.5, 0.5])) * self._half_goal
        if self._driver.look(me):
            self._driver.attack(me, (self._x, self._y), self._half_goal / 2)


class RandomWalker:
    """Goes to places by chance, one after the other."""

    def __init__(self, width: float = 8.0, length: float = 12.0, speed: float = 1.0) -> None:
        """Of the area in the middle of the field that it stays in [m], and how fast it goes [m/s]."""
        self._driver, self._size, self._speed = Driver(), (width, length), speed
        self._target: Vector | None = None
        self._since = 0.0

    def sense_and_act(self, me: PlayerRobot) -> None:
        """One step."""
        if not self._driver.look(me):
            return
        place = self._driver.sight.place
        if self._target is None or math.dist(place, self._target) < 0.2 or me.time - self._since > 10:
            x, y = me.random.uniform(-0.5, 0.5, 2).tolist()
            self._target, self._since = (x * self._size[0], y * self._size[1]), me.time
        self._driver.go(me, self._target, self._target, self._speed)
