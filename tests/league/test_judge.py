"""The referee against scripted situations: thirty and more, each with what has to be decided."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from ubersim.description.world_file import Field
from ubersim.league.judge import Judge
from ubersim.league.rules import Place, Rules, rules_of
from ubersim.league.situation import HALF_TIME, OVER, PLAY, READY, STOPPED, Ruling, SeenRobot, Side, Situation

FIELD = Field(
    league="msl", length=18, width=12, goal_width=2, goal_height=1, area_length=2.25, area_width=6.5, penalty_mark=3.6
)
RULES = replace(rules_of("msl"), half=100.0)
BALL = 0.11
FAR = 50.0
"""Where a robot is that has nothing to do with it [m]."""


def robot(side: Side, place: Place, velocity: Place = (0.0, 0.0), number: int = 2) -> SeenRobot:
    return SeenRobot(f"{side}{number}", side, number, place, velocity)


def seen(time: float, ball: Place = (0.0, 0.0), *robots: SeenRobot, height: float = BALL) -> Situation:
    return Situation(time, ball, height, robots)


def in_play(half: int = 1, rules: Rules = RULES) -> Judge:
    """A match at 10 s, in play."""
    judge = Judge(rules, FIELD, BALL)
    judge.decide(seen(0.0))
    judge.decide(seen(3.0))
    judge.half = half
    assert judge.state == PLAY
    return judge


HOME, AWAY = robot("home", (2.0, 0.0)), robot("away", (-2.0, 0.0))


@dataclass(frozen=True)
class Case:
    """A ball's way, who is at it first, and what follows."""

    name: str
    situations: tuple[Situation, ...]
    kind: str | None
    side: Side | None = None
    place: Place | None = None
    score: tuple[int, int] = (0, 0)
    half: int = 1


def touched(by: SeenRobot, then: Place, height: float = BALL) -> tuple[Situation, ...]:
    """A robot is at the ball; then that is somewhere else."""
    return seen(10.0, (by.place[0] + 0.2, by.place[1]), by), seen(10.5, then, by, height=height)


def lasting(situation: Situation, seconds: float, every: float = 0.5) -> tuple[Situation, ...]:
    """The same for a while."""
    return tuple(replace(situation, time=10.0 + place * every) for place in range(int(seconds / every) + 1))


HOLDER = robot("home", (3.0, 3.0))
PUSHER, PUSHED = robot("away", (1.0, 1.0), (0.5, 0.0)), robot("home", (1.45, 1.0), (0.0, 0.0))
GOAL = 9.0 + BALL + 0.01
"""Where the whole ball is behind the goal line."""

CASES = [
    Case("in the middle of the field nothing happens", touched(HOME, (1.0, 1.0)), None),
    Case("on the goal line it is no goal yet", touched(HOME, (0.0, 9.0)), None),
    Case("with its rim on the line it is no goal yet", touched(HOME, (0.0, 9.0 + BALL - 0.01)), None),
    Case("home scores", touched(HOME, (0.0, GOAL)), "goal", "home", (0.0, 0.0), (1, 0)),
    Case("away scores", touched(AWAY, (0.5, -GOAL)), "goal", "away", (0.0, 0.0), (0, 1)),
    Case("an own goal counts for the others", touched(HOME, (0.0, -GOAL)), "goal", "away", (0.0, 0.0), (0, 1)),
    Case("a goal that nobody touched counts", (seen(10.0, (0.0, GOAL)),), "goal", "home", (0.0, 0.0), (1, 0)),
    Case("in the second half sides have changed", touched(HOME, (0.0, -GOAL)), "goal", "home", None, (1, 0), half=2),
    Case("over the bar is a goal kick", touched(HOME, (0.5, GOAL), 1.3), "goal kick", "away", (1.625, 6.75)),
    Case("beside the post is a goal kick", touched(HOME, (1.2, GOAL)), "goal kick", "away", (1.625, 6.75)),
    Case("a goal kick on the other wing", touched(HOME, (-3.0, GOAL)), "goal kick", "away", (-1.625, 6.75)),
    Case("away over home's goal line", touched(AWAY, (4.0, -GOAL)), "goal kick", "home", (1.625, -6.75)),
    Case("home over its own line is a corner", touched(HOME, (4.0, -GOAL)), "corner", "away", (5.85, -8.85)),
    Case("away over its own line is a corner", touched(AWAY, (-4.0, GOAL)), "corner", "home", (-5.85, 8.85)),
    Case("in the second half it is a goal kick", touched(HOME, (4.0, -GOAL)), "goal kick", "away", None, half=2),
    Case("on the touch line it is in", touched(HOME, (6.0, 2.0)), None),
    Case("with its rim on the touch line it is in", touched(HOME, (6.1, 2.0)), None),
    Case("a throw-in for away", touched(HOME, (6.2, 2.0)), "throw-in", "away", (5.85, 2.0)),
    Case("a throw-in for home", touched(AWAY, (-6.3, -4.0)), "throw-in", "home", (-5.85, -4.0)),
    Case("a throw-in near the corner is put inside", touched(AWAY, (6.5, 8.95)), "throw-in", "home", (5.85, 8.85)),
    Case("out, touched by nobody", (seen(10.0, (6.5, 1.0)),), "dropped ball", None, (5.85, 1.0)),
    Case("lost under the ground", touched(HOME, (90.0, 90.0), -3.0), "dropped ball", None, (0.0, 0.0)),
    Case("the last touch counts", (*touched(HOME, (-1.8, 0.0)), seen(11.0, (-1.8, 0.0), AWAY),
                                    seen(12.0, (6.3, 0.0), AWAY)), "throw-in", "home", (5.85, 0.0)),
    Case("holding the ball", lasting(seen(10.0, (3.2, 3.0), HOLDER), 8.0), "free kick", "away", (3.2, 3.0)),
    Case("not holding it long enough", lasting(seen(10.0, (3.2, 3.0), HOLDER), 7.0), None),
    Case("dribbling is not holding", tuple(seen(10.0 + t, (0.2, 0.4 * t), robot("home", (0.0, 0.4 * t)))
                                           for t in range(12)), None),
    Case("holding in the own area: the free kick is outside of it",
         lasting(seen(10.0, (0.2, -8.5), robot("home", (0.0, -8.5))), 8.0), "free kick", "away", (0.2, -6.75)),
    Case("pushing", lasting(seen(10.0, (4.0, 4.0), PUSHER, PUSHED), 2.5), "free kick", "home", (1.0, 1.0)),
    Case("pushing for a moment", lasting(seen(10.0, (4.0, 4.0), PUSHER, PUSHED), 2.0), None),
    Case("standing beside each other", lasting(seen(10.0, (4.0, 4.0), replace(PUSHER, velocity=(0.0, 0.0)), PUSHED),
                                               4.0), None),
    Case("pushing one's own", lasting(seen(10.0, (4.0, 4.0), PUSHER, replace(PUSHED, side="away", name="a3")), 4.0),
         None),
    Case("being pushed back harder: the stronger one is it",
         lasting(seen(10.0, (4.0, 4.0), PUSHER, replace(PUSHED, velocity=(-0.9, 0.0))), 2.5), "free kick", "away"),
    Case("the ball is stuck", lasting(seen(10.0, (-3.0, 7.0)), 15.0), "dropped ball", None, (-3.0, 0.0)),
    Case("the ball creeps on", tuple(seen(10.0 + t, (0.0, 0.1 * t)) for t in range(30)), None),
    Case("time is up: half time", (seen(100.0, (1.0, 1.0)),), "half time"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_situation_has_its_ruling(case: Case) -> None:
    judge, rulings = in_play(case.half), []
    for situation in case.situations:
        rulings += judge.decide(situation)
    if case.kind is None:
        assert rulings == []
        return
    (ruling,) = rulings
    assert (ruling.kind, ruling.side) == (case.kind, case.side)
    if case.place is not None:
        assert ruling.place == pytest.approx(case.place)
    assert (judge.score["home"], judge.score["away"]) == case.score


def test_there_are_thirty_cases_and_more() -> None:
    assert len(CASES) >= 30


def test_a_whole_match_from_kick_off_to_the_end() -> None:
    judge, told = Judge(RULES, FIELD, BALL), []
    for tenth in range(2200):
        now = seen(tenth / 10, (0.002 * tenth, 0.0))
        told += [(ruling.kind, ruling.side) for ruling in judge.decide(now)]
    kinds = [entry for entry in told if entry[0] in ("kick-off", "half time", "over")]
    assert kinds == [("kick-off", "home"), ("half time", None), ("kick-off", "away"), ("over", None)]
    assert judge.state == OVER
    assert judge.half == 2


def test_states_in_their_order() -> None:
    judge = Judge(RULES, FIELD, BALL)
    assert judge.state == STOPPED
    judge.decide(seen(0.0))
    assert judge.state == READY
    assert judge.decide(seen(2.9)) == []
    assert [ruling.kind for ruling in judge.decide(seen(3.0))] == ["whistle"]
    judge.decide(seen(100.0))
    assert judge.state == HALF_TIME


def test_what_may_be_asked_for() -> None:
    judge = in_play()
    assert _asked(judge, "goal away").kind == "goal" and judge.score == {"home": 0, "away": 1}
    assert _asked(judge, "ball 1.5 -2").place == (1.5, -2.0)
    assert _asked(judge, "halt").kind == "halt" and judge.state == STOPPED
    assert judge.decide(seen(50.0)) == [], "a match that is halted stands still"
    assert _asked(judge, "start").kind == "dropped ball"
    assert _asked(judge, "reset").formation and judge.score == {"home": 0, "away": 0}
    for nonsense in ("goal", "goal nobody", "ball a b", "ball 1e9 0", "ball nan 0", "", "dance"):
        assert judge.ask(nonsense.split(), 20.0) is None


def _asked(judge: Judge, text: str) -> Ruling:
    ruling = judge.ask(text.split(), 20.0)
    assert ruling is not None
    return ruling


def test_it_goes_on_from_what_a_snapshot_kept() -> None:
    judge, again = in_play(), Judge(RULES, FIELD, BALL)
    judge.decide(seen(10.0, (2.2, 0.0), HOME))
    again.from_plain(json.loads(json.dumps(judge.to_plain())))
    for situation in (seen(10.5, (6.3, 1.0), HOME), seen(13.6, (5.0, 1.0))):
        assert judge.decide(situation) == again.decide(situation) != []
    again.from_plain({})
    assert (again.state, again.decisions) == (STOPPED, 0)
