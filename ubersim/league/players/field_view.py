"""Where a player is, where the ball is and where the others are, from whatever its robot senses."""

from __future__ import annotations

import json
import math

import numpy as np
from numpy.typing import NDArray

from ubersim.league.player_robot import PlayerRobot
from ubersim.league.players.ball_finder import BallFinder
from ubersim.league.players.known_robots import Vector

FORGET = 1.5
"""How long a ball that is not seen is where it was [s]."""
BALL = "Ball"


class FieldView:
    """In the axes of the team: it plays along +y, whichever way that is in the world, and +x is its right."""

    def __init__(self) -> None:
        self.place: Vector = (0.0, 0.0)
        self.heading = 0.0
        """About +z, 0 along +y [rad]."""
        self.known = False
        """Whether it knows where it is."""
        self.ball: Vector | None = None
        self.ball_velocity: Vector = (0.0, 0.0)
        self.others: list[Vector] = []
        """All other robots that are in sight."""
        self._seen_at = -math.inf
        self._names: dict[float, str] = {}
        self._finder: BallFinder | None = None
        self._direction = 1.0
        self._side = 1.0

    def update(self, me: PlayerRobot) -> bool:
        """Takes in what is new; whether there was anything that changes what it knows."""
        self._side = me.referee.direction or 1.0
        if self._side != self._direction:  # the other half
            self.ball, self._direction = None, self._side
        new = False
        if "Legend" in me.new:
            names = json.loads(np.asarray(me.new["Legend"]).tobytes())
            of_interest = {number: name for number, name in names.items() if name == BALL or name.endswith("/Base")}
            self._names = {float(number): name for number, name in of_interest.items()}
        if "Vision" in me.new:
            self._from_above(np.asarray(me.new["Vision"]), me.time)
            new = True
        if "Place" in me.new:
            self._locate(np.asarray(me.new["Place"])[0])
            new = True
        if "OmniCam" in me.new and self.known:
            self._look(np.asarray(me.new["OmniCam"]), me.time)
            new = True
        if me.time - self._seen_at > FORGET:
            self.ball = None
        return new

    def heard(self, ball: Vector, time: float) -> None:
        """A team mate says where the ball is; that counts while it is not seen."""
        if self.ball is None or time - self._seen_at > FORGET / 2:
            self.ball, self.ball_velocity, self._seen_at = ball, (0.0, 0.0), time - FORGET / 2

    def relative(self, point: Vector) -> Vector:
        """A point of the field, to the right and forward of the robot [m]."""
        x, y = point[0] - self.place[0], point[1] - self.place[1]
        cos, sin = math.cos(self.heading), math.sin(self.heading)
        return x * cos + y * sin, y * cos - x * sin

    def _turned(self, x: float, y: float) -> Vector:
        return self._side * x, self._side * y

    def _locate(self, row: NDArray[np.floating]) -> None:
        w, x, y, z = map(float, row[3:7])
        self.place = self._turned(float(row[0]), float(row[1]))
        turned = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        self.heading = math.remainder(turned + (0.0 if self._side > 0 else math.pi), math.tau)
        self.known = True

    def _from_above(self, rows: NDArray[np.floating], time: float) -> None:
        self._locate(rows[0])
        x, y, vx, vy = (float(rows[1][place]) for place in (0, 1, 7, 8))
        self.ball, self.ball_velocity, self._seen_at = self._turned(x, y), self._turned(vx, vy), time
        there = rows[2:][np.isfinite(rows[2:, 0])]
        self.others = [self._turned(float(row[0]), float(row[1])) for row in there]

    def _look(self, seen: NDArray[np.generic], time: float) -> None:
        if seen.ndim == 3:
            self._from_picture(seen, time)
            return
        self.others = []
        names = self._names
        for number, bearing, elevation, distance, _ in seen.tolist():
            if number not in names:
                continue
            # The camera looks up: its forward is the robot's up, and its up the robot's back.
            right = -distance * math.cos(elevation) * math.sin(bearing)
            place = self._on_field(right, -distance * math.sin(elevation))
            if names[number] == BALL:
                self._see_ball(place, time)
            else:
                self.others.append(place)

    def _from_picture(self, picture: NDArray[np.generic], time: float) -> None:
        if self._finder is None:
            self._finder = BallFinder(picture.shape[1], picture.shape[0])
        if (found := self._finder.find(picture)) is not None:
            self._see_ball(self._on_field(*found), time)

    def _on_field(self, right: float, forward: float) -> Vector:
        cos, sin = math.cos(self.heading), math.sin(self.heading)
        return self.place[0] + right * cos - forward * sin, self.place[1] + right * sin + forward * cos

    def _see_ball(self, ball: Vector, time: float) -> None:
        before, passed = self.ball, time - self._seen_at
        if before is not None and 0 < passed < 0.5:
            share = 0.4
            vx, vy = (ball[0] - before[0]) / passed, (ball[1] - before[1]) / passed
            self.ball_velocity = (
                (1 - share) * self.ball_velocity[0] + share * vx,
                (1 - share) * self.ball_velocity[1] + share * vy,
            )
        else:
            self.ball_velocity = (0.0, 0.0)
        self.ball, self._seen_at = ball, time
