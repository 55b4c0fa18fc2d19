"""The referee's mind: from one situation after the other to rulings. Pure: the same situations, the same rulings."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ubersim.description.world_file import Field
from ubersim.league.rules import Place, Rules
from ubersim.league.situation import (
    HALF_TIME,
    OVER,
    PLAY,
    READY,
    RESTARTS,
    STOPPED,
    Restart,
    Ruling,
    SeenRobot,
    Side,
    Situation,
    other,
)


class Judge:
    """Score, clock and state of one match."""

    def __init__(self, rules: Rules, field: Field, ball_radius: float) -> None:
        self.rules, self.field, self.ball_radius = rules, field, ball_radius
        self.begin()

    def begin(self) -> None:
        """As before the first kick-off."""
        self.state, self.half = STOPPED, 1
        self.score: dict[Side, int] = {"home": 0, "away": 0}
        self.restart: Restart = "none"
        self.restart_side: Side | None = None
        self.place: Place = (0.0, 0.0)
        self.decisions = 0
        self.touched_by: tuple[str, Side] | None = None
        """Who touched the ball last."""
        self.began: float | None = None
        """When this half did [s]."""
        self._due = math.inf
        """When the whistle goes, or the second half begins [s]."""
        self._held: tuple[str, float, Place] | None = None
        self._resting: tuple[float, Place] | None = None
        self._pushed: dict[str, float] = {}

    def direction(self, side: Side) -> int:
        """In which a team plays along y in this half."""
        return 1 if (side == "home") == (self.half % 2 == 1) else -1

    def left(self, time: float) -> float:
        """Of this half [s]."""
        return self.rules.half if self.began is None else max(0.0, self.rules.half - (time - self.began))

    def decide(self, now: Situation) -> list[Ruling]:
        """What is decided in this situation; in most nothing is."""
        found = self._decide(now)
        self.decisions += len(found)
        return found

    def _decide(self, now: Situation) -> list[Ruling]:
        if self.state == STOPPED and self.began is None:
            return [self._kick_off("home", now.time, "the match begins")]
        if self.state in (READY, PLAY) and self.began is not None and now.time - self.began >= self.rules.half:
            return [self._end_half(now.time)]
        if self.state == HALF_TIME and now.time >= self._due:
            self.half, self.began = self.half + 1, None
            return [self._kick_off("home" if self.half % 2 else "away", now.time, f"half {self.half} begins")]
        if self.state == READY and now.time >= self._due:
            self.state, self._due = PLAY, math.inf
            self._forget()
            return [Ruling("whistle", f"{self.restart} is taken", self.restart_side)]
        return self._watch(now) if self.state == PLAY else []

    # What supervisors, and clients if the match allows it, may ask for

    def ask(self, words: list[str], time: float) -> Ruling | None:
        """`halt`, `start`, `reset`, `ball X Y`, `goal SIDE`; None if it makes no sense."""
        match words:
            case ["halt"]:
                self.state = STOPPED if self.began is not None else self.state
                return Ruling("halt", "the match is halted")
            case ["start"] if self.state == STOPPED and self.began is not None:
                return self._set("dropped ball", None, self.place, time, "the match goes on")
            case ["reset"]:
                self.begin()
                return self._kick_off("home", time, "the match begins anew")
            case ["ball", x, y] if _is_number(x) and _is_number(y):
                place = float(x), float(y)
                return Ruling("ball placed", f"the ball is put to {place[0]:g} {place[1]:g}", place=place)
            case ["goal", ("home" | "away") as side]:
                return self._goal("home" if side == "home" else "away", time, "by command")
        return None

    # Restarts

    def _set(
        self, restart: Restart, side: Side | None, place: Place, time: float, text: str, formation: bool = False
    ) -> Ruling:
        self.state, self.restart, self.restart_side, self.place = READY, restart, side, place
        self._due = time + self.rules.ready
        self._forget()
        return Ruling(restart, text, side, place, formation)

    def _forget(self) -> None:
        self._held, self._resting, self.touched_by = None, None, None
        self._pushed = {}

    def _kick_off(self, side: Side, time: float, why: str) -> Ruling:
        if self.began is None:
            self.began = time
        return self._set("kick-off", side, (0.0, 0.0), time, f"{why}: kick-off for {side}", formation=True)

    def _end_half(self, time: float) -> Ruling:
        if self.half < self.rules.halves:
            self.state, self._due = HALF_TIME, time + self.rules.pause
            return Ruling("half time", f"end of half {self.half}")
        self.state = OVER
        return Ruling("over", f"the match is over: {self.score['home']}:{self.score['away']}")

    def _goal(self, side: Side, time: float, how: str) -> Ruling:
        self.score[side] += 1
        score = f"{self.score['home']}:{self.score['away']}"
        begun = self._kick_off(other(side), time, f"goal for {side} {how}, {score}")
        return dataclasses.replace(begun, kind="goal", side=side)

    # While the ball is in play

    def _watch(self, now: Situation) -> list[Ruling]:
        nearest = min(now.robots, key=lambda robot: (robot.distance(now.ball), robot.name), default=None)
        touching = nearest if nearest is not None and nearest.distance(now.ball) <= self.rules.touch else None
        if touching is not None and now.height < 4 * self.ball_radius + 0.3:
            self.touched_by = touching.name, touching.side
        ruling = self._scored(now) or self._out(now) or self._holding(now, touching)
        ruling = ruling or self._pushing(now) or self._stuck(now)
        return [] if ruling is None else [ruling]

    def _scored(self, now: Situation) -> Ruling | None:
        field, (x, y) = self.field, now.ball
        behind = abs(y) - field.length / 2 - self.ball_radius
        if not (behind > 0 and abs(x) < field.goal_width / 2 and now.height < field.goal_height):
            return None
        side: Side = "home" if self.direction("home") * y > 0 else "away"
        by = "" if self.touched_by is None else f"by {self.touched_by[0]}"
        own = " (an own goal)" if self.touched_by is not None and self.touched_by[1] != side else ""
        return self._goal(side, now.time, by + own)

    def _out(self, now: Situation) -> Ruling | None:
        field, inset, radius, (x, y) = self.field, self.rules.inset, self.ball_radius, now.ball
        wide, long = field.width / 2, field.length / 2
        if math.isfinite(x) and math.isfinite(y) and abs(x) <= wide + radius and abs(y) <= long + radius:
            return None
        if not (math.isfinite(x) and math.isfinite(y)) or now.height < -1:
            return self._set("dropped ball", None, (0.0, 0.0), now.time, "the ball is lost: dropped ball")
        inside = (
            math.copysign(min(abs(x), wide - inset), x),
            math.copysign(min(abs(y), long - inset), y),
        )
        if self.touched_by is None:
            return self._set("dropped ball", None, inside, now.time, "out, touched by nobody: dropped ball")
        name, side = self.touched_by
        if abs(y) <= long + radius:
            place = (math.copysign(wide - inset, x), inside[1])
            return self._set("throw-in", other(side), place, now.time, f"out by {name}: throw-in for {other(side)}")
        defender: Side = "home" if self.direction("home") * y < 0 else "away"
        if side == defender:
            place = (math.copysign(wide - inset, x), math.copysign(long - inset, y))
            return self._set("corner", other(side), place, now.time, f"out by {name}: corner for {other(side)}")
        place = (math.copysign(field.area_width / 4, x), math.copysign(long - field.area_length, y))
        return self._set("goal kick", defender, place, now.time, f"out by {name}: goal kick for {defender}")

    def _free_kick(self, against: Side, place: Place, time: float, why: str) -> Ruling:
        inset = self.rules.inset
        wide, long = self.field.width / 2 - inset, self.field.length / 2 - max(inset, self.field.area_length)
        place = min(max(place[0], -wide), wide), min(max(place[1], -long), long)
        return self._set("free kick", other(against), place, time, f"{why}: free kick for {other(against)}")

    def _holding(self, now: Situation, touching: SeenRobot | None) -> Ruling | None:
        limit = self.rules.holding
        if touching is None or self._held is None or self._held[0] != touching.name:
            self._held = None if touching is None else (touching.name, now.time, now.ball)
            return None
        name, since, place = self._held
        if math.dist(place, now.ball) > limit.distance:
            self._held = (name, now.time, now.ball)
        elif now.time - since >= limit.seconds:
            return self._free_kick(touching.side, now.ball, now.time, f"{name} holds the ball")
        return None

    def _pushing(self, now: Situation) -> Ruling | None:
        limit, going = self.rules.pushing, {}
        for one in now.robots:
            for another in now.robots:
                if one.side == another.side or one.distance(another.place) > limit.distance:
                    continue
                if _speed_towards(one, another) < max(limit.speed, _speed_towards(another, one)):
                    continue
                since = going[f"{one.name} {another.name}"] = self._pushed.get(f"{one.name} {another.name}", now.time)
                if now.time - since >= limit.seconds:
                    return self._free_kick(one.side, one.place, now.time, f"{one.name} pushes {another.name}")
        self._pushed = going
        return None

    def _stuck(self, now: Situation) -> Ruling | None:
        limit = self.rules.stuck
        if self._resting is None or math.dist(self._resting[1], now.ball) > limit.distance:
            self._resting = now.time, now.ball
        elif now.time - self._resting[0] >= limit.seconds:
            side = -1.0 if now.ball[0] < 0 else 1.0
            place = (side * self.field.width / 4, 0.0)
            return self._set("dropped ball", None, place, now.time, "the ball is stuck: dropped ball")
        return None

    # Snapshots

    def to_plain(self) -> dict[str, Any]:
        """All of it, as JSON values."""
        kept = {key: value for key, value in vars(self).items() if key not in ("rules", "field", "ball_radius")}
        return kept | {"restart": RESTARTS.index(self.restart), "score": dict(self.score), "_due": _written(self._due)}

    def from_plain(self, plain: dict[str, Any]) -> None:
        """The opposite of `to_plain`; from nothing, as at the beginning."""
        self.begin()
        for key, value in plain.items():
            setattr(self, key, value)
        if plain:
            self.restart, self.score = RESTARTS[plain["restart"]], dict(plain["score"])
            self.place = tuple(plain["place"])
            self._due = math.inf if plain["_due"] is None else plain["_due"]
            self._held = _thawed(plain["_held"])
            self._resting = _thawed(plain["_resting"])
            self.touched_by = _thawed(plain["touched_by"])


def _written(due: float) -> float | None:
    return None if math.isinf(due) else due


def _thawed(value: Any) -> Any:
    """Lists, as JSON has them, are tuples here."""
    return tuple(map(_thawed, value)) if isinstance(value, list | tuple) else value


def _speed_towards(one: SeenRobot, another: SeenRobot) -> float:
    way = (another.place[0] - one.place[0], another.place[1] - one.place[1])
    return (one.velocity[0] * way[0] + one.velocity[1] * way[1]) / max(1e-6, math.hypot(*way))


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < 1e4
    except ValueError:
        return False
