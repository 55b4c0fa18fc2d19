"""Skills: go somewhere, line up behind the ball, take it to the goal, shoot."""

from __future__ import annotations

import math

from ubersim.league.player_robot import PlayerRobot
from ubersim.league.players.field_view import FieldView
from ubersim.league.players.known_robots import MSL, KnownRobot, Vector, model_of
from ubersim.league.situation import PLAY


class Driver:
    """The legs of a player: it looks, and then it is told where to go."""

    def __init__(self) -> None:
        self.sight = FieldView()
        self.model: KnownRobot = MSL
        self._velocity: Vector = (0.0, 0.0)
        self._last = 0.0
        self._kicked = -math.inf
        self._stands = False
        self._pressed_since = 0.0

    def look(self, me: PlayerRobot) -> bool:
        """Whether there is something new, and the ball is in play; who is not allowed to play stands."""
        new = self.sight.update(me)
        self.model = model_of(me)
        if not new or not self.sight.known:
            return False
        if me.referee.state not in (0, PLAY):
            self.stand(me)
            return False
        return True

    def stand(self, me: PlayerRobot) -> None:
        """Stops, if it does not stand yet."""
        if not self._stands:
            self.model.drive(me, 0.0, 0.0, 0.0)
        self._stands, self._velocity = True, (0.0, 0.0)

    def go(
        self, me: PlayerRobot, target: Vector, facing: Vector, speed: float | None = None, gentle: float = 2.0
    ) -> None:
        """Towards a target, around all that is in the way, with the front towards a point."""
        sight, model = self.sight, self.model
        way = (target[0] - sight.place[0], target[1] - sight.place[1])
        length = math.hypot(*way)
        top = min(model.speed if speed is None else speed, gentle * length)
        wanted = (0.0, 0.0) if length < 1e-6 else (way[0] / length * top, way[1] / length * top)
        self.move(me, self._around(wanted, length), facing)

    def move(self, me: PlayerRobot, wanted: Vector, facing: Vector) -> None:
        """With a velocity of the field [m/s], as far as the wheels can follow."""
        sight, model = self.sight, self.model
        most = model.acceleration * min(0.2, max(0.005, me.time - self._last))
        change = (wanted[0] - self._velocity[0], wanted[1] - self._velocity[1])
        size = math.hypot(*change)
        share = 1.0 if size <= most else most / size
        self._velocity = self._velocity[0] + share * change[0], self._velocity[1] + share * change[1]
        self._last, self._stands = me.time, False
        aim = math.atan2(-(facing[0] - sight.place[0]), facing[1] - sight.place[1])
        turn = math.remainder(aim - sight.heading, math.tau)
        turning = max(-model.turning, min(model.turning, 4.0 * turn))
        cos, sin = math.cos(sight.heading), math.sin(sight.heading)
        vx, vy = self._velocity
        model.drive(me, vx * cos + vy * sin, vy * cos - vx * sin, turning)

    def _around(self, wanted: Vector, length: float) -> Vector:
        """Turns a velocity aside from robots that are close ahead."""
        speed = math.hypot(*wanted)
        if speed < 1e-3:
            return wanted
        ahead, radius = (wanted[0] / speed, wanted[1] / speed), self.model.radius
        side = 0.0
        for other in self.sight.others:
            x, y = other[0] - self.sight.place[0], other[1] - self.sight.place[1]
            along, across = x * ahead[0] + y * ahead[1], x * ahead[1] - y * ahead[0]
            near = 4.0 * radius + 0.5 * speed
            if 0 < along < min(near, length + radius) and abs(across) < 2.2 * radius:
                weight = 1.5 * (1 - along / near)
                side += -weight if across > 0 else weight
        side = max(-1.5, min(1.5, side))
        x, y = ahead[0] + side * ahead[1], ahead[1] - side * ahead[0]
        norm = math.hypot(x, y)
        return speed * x / norm, speed * y / norm

    def kick(self, me: PlayerRobot, share: float) -> None:
        """Lets the kicker go, unless it has just done so."""
        if me.time - self._kicked > 0.3:
            self._kicked = me.time
            me.set("Kicker", "Kick", share)

    def attack(self, me: PlayerRobot, goal: Vector, half_goal: float) -> None:
        """Gets behind the ball, takes it towards the goal, and shoots when it is aimed at it."""
        sight, model, ball = self.sight, self.model, self.sight.ball
        if ball is None:
            self.stand(me)
            return
        lead = 0.15
        ball = ball[0] + lead * sight.ball_velocity[0], ball[1] + lead * sight.ball_velocity[1]
        aim = (goal[0] - ball[0], goal[1] - ball[1])
        far = math.hypot(*aim)
        aim = (aim[0] / far, aim[1] / far) if far > 1e-6 else (0.0, 1.0)
        straight, target = aim, goal
        if far > 0.4 * model.shot and (dodge := self._dodge(ball, aim)) is not None:
            aim, target = dodge, (ball[0] + 3.0 * dodge[0], ball[1] + 3.0 * dodge[1])
        mine = (ball[0] - sight.place[0], ball[1] - sight.place[1])
        distance = math.hypot(*mine)
        along, across = mine[0] * aim[0] + mine[1] * aim[1], mine[0] * aim[1] - mine[1] * aim[0]
        right, forward = sight.relative(ball)
        if model.dribbler:
            me.set(model.dribbler, "Vel", 120.0 if distance < 4 * model.reach else 0.0)
        if 0 < forward < 1.15 * model.reach and abs(right) < 0.3 * model.reach:
            self._with_ball(me, target, straight, aim, math.atan2(0.8 * half_goal, far), far)
        elif along > 0.7 * model.reach and abs(across) < max(0.35 * model.reach, 0.25 * along):
            run = min(model.speed, 0.5 + 2.0 * max(0.0, along - model.reach))
            correct = max(-1.0, min(1.0, 4.0 * across))
            self.move(me, (run * aim[0] + correct * aim[1], run * aim[1] - correct * aim[0]), target)
        else:
            self._get_behind(me, ball, aim, across, along)

    def _dodge(self, ball: Vector, aim: Vector) -> Vector | None:
        """Past an opponent that stands right behind the ball; None if the way is free."""
        radius = self.model.radius
        for other in self.sight.others:
            x, y = other[0] - ball[0], other[1] - ball[1]
            along, across = x * aim[0] + y * aim[1], x * aim[1] - y * aim[0]
            if 0 < along < 4 * radius and abs(across) < 1.3 * radius:
                turn = 0.8 if across > 0 else -0.8
                cos, sin = math.cos(turn), math.sin(turn)
                return aim[0] * cos - aim[1] * sin, aim[0] * sin + aim[1] * cos
        return None

    def _get_behind(self, me: PlayerRobot, ball: Vector, aim: Vector, across: float, along: float) -> None:
        back = 1.8 * self.model.reach
        if along < 0.5 * self.model.reach and abs(across) < 2.2 * self.model.reach:  # beside or before it: go around
            side = 2.6 * self.model.reach * (-1.0 if across > 0 else 1.0)
            spot = ball[0] - back * aim[0] + side * aim[1], ball[1] - back * aim[1] - side * aim[0]
        else:
            spot = ball[0] - back * aim[0], ball[1] - back * aim[1]
        self.go(me, spot, ball, gentle=3.0)

    def _with_ball(
        self, me: PlayerRobot, target: Vector, goal: Vector, aim: Vector, opening: float, far: float
    ) -> None:
        """`goal` is the direction of the goal, `aim` that in which the way is free; `opening`, how wide the goal is."""
        sight, model = self.sight, self.model
        looks = (-math.sin(sight.heading), math.cos(sight.heading))
        off = _between(looks, aim)
        pressed = any(math.dist(sight.place, other) < 3.0 * model.radius for other in sight.others)
        if not pressed:
            self._pressed_since = me.time
        if far < model.shot and abs(_between(looks, goal)) < max(0.05, opening):
            self.kick(me, 1.0)
        elif pressed and looks[1] > 0.3 and (abs(off) < 0.25 or me.time - self._pressed_since > 0.8):
            self.kick(me, 0.7)
        run = 0.6 * model.speed
        self.move(me, (run * looks[0] - 0.4 * off * looks[1], run * looks[1] + 0.4 * off * looks[0]), target)


def _between(one: Vector, other: Vector) -> float:
    """The angle from one direction to another, to the right [rad]."""
    return math.atan2(one[0] * other[1] - one[1] * other[0], one[0] * other[0] + one[1] * other[1])
