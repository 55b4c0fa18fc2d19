"""The referee in a simulation: sees the ball and the teams, rules, and puts things where the rules say.

What it does to the world are supervisors' commands, which logs have and replays repeat; what it says, named instants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ubersim.description.world_file import Field
from ubersim.errors import UberSimError
from ubersim.league.judge import Judge
from ubersim.league.placing import clear_of, formation_places
from ubersim.league.rules import Place, Rules, rules_of
from ubersim.league.situation import RESTARTS, STATES, Ruling, SeenRobot, Side, Situation, other
from ubersim.simulation import Simulation
from ubersim.simulation.actor import Actor
from ubersim.simulation.robot import Robot
from ubersim.supervision import Interventions
from ubersim.timing.latency import frame_at

LOOKS_PER_SECOND = 50.0


class Referee(Actor):
    """Decides about one match; it is an actor of the simulation, and what `RefereeSensor` tells of."""

    name = "referee"

    def __init__(
        self,
        simulation: Simulation,
        *,
        home: str = "home",
        away: str = "away",
        rules: Rules | None = None,
        changes: Mapping[str, Any] | None = None,
        clients_may_ask: bool = False,
        told: Callable[[float, Ruling], None] = lambda time, ruling: None,
    ) -> None:
        """`home` and `away` are the `Team`s of the robots; `changes`, of the rules; `told` hears of each ruling."""
        field = simulation.description.field
        if field is None:
            raise UberSimError("this world has no Field, so that there is nothing to referee")
        if field.ball not in simulation.objects:
            raise UberSimError(f"this world has no object {field.ball!r}, which its Field calls the ball")
        self.field: Field = field
        self.rules = rules or rules_of(field.league, changes)
        self.teams: dict[str, Side] = {home: "home", away: "away"}
        if len(self.teams) < 2:
            raise UberSimError(f"both teams are called {home!r}")
        self.names: dict[Side, str] = {"home": home, "away": away}
        self._simulation = simulation
        self._hands = Interventions(simulation)
        self._ball = simulation.objects[field.ball]
        self._resting_height = float(self._ball.position[2])
        self.judge = Judge(self.rules, field, self._resting_height)
        self.rulings: list[tuple[float, Ruling]] = []
        """All that was decided, with the time [s]."""
        self._clients_may_ask = clients_may_ask
        self.listeners: list[Callable[[float, Ruling], None]] = [told]
        """Hear of each ruling."""
        self._asked: list[str] = []
        self._every = max(1, frame_at(1.0 / LOOKS_PER_SECOND, simulation.step_size))
        self._next = simulation.frame
        simulation.actors.append(self)
        simulation.referee = self

    @property
    def next_frame(self) -> int:
        return self._next

    def act(self, frame: int) -> None:
        """Looks, and does what follows from it."""
        self._next = frame - frame % self._every + self._every
        now = self.situation()
        while self._asked:
            if (ruling := self.judge.ask(self._asked.pop(0).split(), now.time)) is not None:
                self._enforce(ruling, now)
        for ruling in self.judge.decide(now):
            self._enforce(ruling, now)

    # What it sees

    def sides(self) -> list[tuple[Robot, Side, int]]:
        """The robots of both teams, and their numbers: their own, or as they come."""
        found: list[tuple[Robot, Side, int]] = []
        counts: dict[Side, int] = {"home": 0, "away": 0}
        for robot in self._simulation.robots.values():
            if (side := self.teams.get(robot.team)) is not None:
                counts[side] += 1
                found.append((robot, side, robot.description.settings.number or counts[side]))
        return found

    def situation(self) -> Situation:
        """Everything that counts, now."""
        x, y, height = map(float, self._ball.position)
        robots = []
        for robot, side, number in self.sides():
            base = next(iter(robot.bodies.values()))
            (rx, ry), (vx, vy) = map(float, base.position[:2]), map(float, base.linear_velocity[:2])
            robots.append(SeenRobot(robot.name, side, number, (rx, ry), (vx, vy)))
        return Situation(self._simulation.time, (x, y), height, tuple(robots))

    # What it does

    def _enforce(self, ruling: Ruling, now: Situation) -> None:
        self.rulings.append((now.time, ruling))
        if ruling.formation:
            self._line_up(self.judge.restart_side or "home")
        elif ruling.place is not None:
            self._make_room(ruling, now)
        if ruling.place is not None:
            position = (*ruling.place, self._resting_height)
            self._hands.execute("Teleport", {"thing": self.field.ball, "position": position, "overlap": "allow"})
        self._hands.execute("Event", {"label": f"referee: {ruling.text}"})
        for listener in self.listeners:
            listener(now.time, ruling)

    def _line_up(self, kicks: Side) -> None:
        for robot, side, number in self.sides():
            formation = self.rules.formation.ours if side == kicks else self.rules.formation.theirs
            way = self.judge.direction(side)
            self._put(robot, formation_places(formation, self.field, number, way), 0.0 if way > 0 else math.pi)

    def _make_room(self, ruling: Ruling, now: Situation) -> None:
        """Opponents keep away from where the ball is put, and everybody is out of its way."""
        assert ruling.place is not None
        places = {robot.name: robot.place for robot in now.robots}
        for robot, side, _ in self.sides():
            near = self.rules.touch if side == ruling.side else self.rules.free_radius
            if math.dist(places[robot.name], ruling.place) < near:
                others = [place for name, place in places.items() if name != robot.name]
                goal = (0.0, -self.judge.direction(side) * self.field.length / 2)
                places[robot.name] = clear_of(
                    places[robot.name], ruling.place, near + 0.05, others, self.rules.robot_radius, goal
                )
                self._put(robot, places[robot.name], None)

    def _put(self, robot: Robot, place: Place, heading: float | None) -> None:
        position = (*place, float(robot.spawned_at.position[2]))
        what = {"thing": robot.name, "position": position, "heading": heading, "overlap": "allow"}
        self._hands.execute("Teleport", what)

    # What it says

    def reading(self, robot: str) -> Sequence[float]:
        """What a robot is told: see `RefereeSensor`."""
        judge, alive = self.judge, self._simulation.robots.get(robot)
        side = None if alive is None else self.teams.get(alive.team)
        if alive is None or side is None:
            side = "home"  # an onlooker sees the match with the eyes of the home team
        ours = 0.0 if judge.restart_side is None else 1.0 if judge.restart_side == side else -1.0
        number = 0 if alive is None else alive.description.settings.number or 0
        return (
            judge.state,
            RESTARTS.index(judge.restart),
            ours,
            judge.direction(side),
            judge.score[side],
            judge.score[other(side)],
            judge.half,
            judge.left(self._simulation.time),
            *judge.place,
            judge.decisions,
            number,
        )

    def status(self) -> dict[str, Any]:
        """For supervisors and the live page, as JSON values."""
        judge, latest = self.judge, self.rulings[-1][1].text if self.rulings else ""
        return {
            "home": self.names["home"],
            "away": self.names["away"],
            "score": [judge.score["home"], judge.score["away"]],
            "state": STATES[judge.state],
            "half": judge.half,
            "left": judge.left(self._simulation.time),
            "restart": judge.restart,
            "side": judge.restart_side or "",
            "latest": latest,
            "decisions": judge.decisions,
        }

    def ask(self, robot: str, payload: bytes) -> None:
        """A robot's client asks for something; it is heard if the match allows it."""
        if self._clients_may_ask:
            self.command(payload.decode(errors="replace"))

    def command(self, text: str) -> None:
        """Asks for something that is done when it looks next, in this frame if it has yet to act: see `Judge.ask`."""
        self._asked.append(text)
        self._next = min(self._next, self._simulation.frame)

    # Snapshots

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        return {"judge": self.judge.to_plain(), "next": self._next, "rulings": len(self.rulings)}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned; from nothing, as at the beginning."""
        self.judge.from_plain(state.get("judge", {}))
        self._next = state.get("next", self._simulation.frame)
        del self.rulings[state.get("rulings", 0) :]
        self._asked.clear()
