"""The goalkeeper benchmark, to learn against: a striker of the middle size league, and a keeper of a known skill."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ubersim.description import shipped
from ubersim.files import read_text
from ubersim.league.equipment import Equipment, equipped
from ubersim.league.goalkeeper_benchmark import KEEPER, LIMIT, RULES, SHOOTER, SituationStart, start_of
from ubersim.league.inside_players import Players
from ubersim.league.player import make_player
from ubersim.league.referee import Referee
from ubersim.league.situation import PLAY
from ubersim.learning.actions import ActionInput
from ubersim.learning.start import heading_of
from ubersim.learning.task import Task

_WHEEL = 44.0
"""Fastest turning of a wheel [rad/s]: 2.2 m/s."""
_GOAL = 10.0
"""What a goal is worth, in metres that the ball has come nearer to it."""
_MAIN = "Base"


def _document(team: str, place: tuple[float, float], heading: float) -> str:
    kit = Equipment(f"{team}1", team, 1, place, heading, level="objects", wheels="contact")
    return equipped(read_text(shipped("robots/msl_omni.xml")), kit, [f"{SHOOTER}1", f"{KEEPER}1"])


class Striker(Task):
    """Scores, from penalties and situations of open play as `ubersim benchmark goalkeeper` draws them.

    It drives by its wheels and kicks; a camera above the field tells it where ball, goal and keeper are. The keeper
    sees with its own camera, and plays by one of the six policies. Any decision of the referee ends the attempt.
    """

    robot_file = _document(SHOOTER, (0.0, -3.0), 0.0)
    world_file = shipped("worlds/msl_12x8.xml")
    action: ClassVar[ActionInput] = {
        "Right.Vel": (-_WHEEL, _WHEEL),
        "Left.Vel": (-_WHEEL, _WHEEL),
        "Rear.Vel": (-_WHEEL, _WHEEL),
        "Kicker.Kick": (-1.0, 1.0),  # half of what it can say is not to kick
    }
    step = 0.002
    control_hz = 25.0
    seconds = LIMIT
    extra = 10

    def __init__(self, policy: str = "intercept") -> None:
        """`policy`: of the goalkeeper."""
        self._policy = policy

    def populate(self) -> None:
        simulation = self.simulation
        self.referee = Referee(simulation, home=SHOOTER, away=KEEPER, changes=RULES)
        self._players = Players(simulation, limit=math.inf)  # the keeper is one of ours
        self._keeper = simulation.spawn(_document(KEEPER, (0.0, self.referee.field.length / 2 - 0.5), 180.0))
        self._actors = list(simulation.actors)

    def begin(self, rng: np.random.Generator) -> None:
        simulation, field = self.simulation, self.referee.field
        simulation.actors[:] = self._actors
        self.referee.restore({})
        sizes = {"width": field.width, "length": field.length, "goal_width": field.goal_width}
        keeper = make_player("goalkeeper", {"policy": self._policy}, offered=sizes)
        number = int(rng.integers(2**31))
        self._players.take_over(keeper, self._keeper, seed=number)
        self.kind, ball, place = start_of(number, 0, field)
        SituationStart(simulation, ball, place)
        simulation.begin_frame()
        while self.referee.judge.state != PLAY:
            simulation.step()
        self._heard = len(self.referee.rulings)
        self._away = self._to_goal()

    def tell(self) -> Sequence[float]:
        """Ball, its velocity, the goal and the keeper, to the right and forward; cosine and sine of its heading."""
        body, ball = self.robot.bodies[_MAIN], self.simulation.objects["Ball"]
        sine, cosine = math.sin(heading_of(body)), math.cos(heading_of(body))
        goal = np.array([0.0, self.referee.field.length / 2, 0.0])
        keeper = self._keeper.bodies[_MAIN].position
        vectors = (ball.position - body.position, ball.linear_velocity, goal - body.position, keeper - body.position)
        told: list[float] = []
        for x, y, _ in (vector.tolist() for vector in vectors):
            told += [cosine * x + sine * y, cosine * y - sine * x]
        return [*told, cosine, sine]

    def reward(self, action: Sequence[float]) -> float:
        """How much nearer to the goal the ball has come [m], and 10 for one that is in."""
        if self.failed():
            return _GOAL if self.succeeded() else 0.0
        before, self._away = self._away, self._to_goal()
        return before - self._away

    def failed(self) -> bool:
        """Whether the attempt is over: by a goal, or by whatever else the referee decides."""
        return len(self.referee.rulings) > self._heard

    def succeeded(self) -> bool:
        return self.referee.judge.score["home"] > 0

    def _to_goal(self) -> float:
        x, y, _ = self.simulation.objects["Ball"].position.tolist()
        return math.hypot(x, self.referee.field.length / 2 - y)
