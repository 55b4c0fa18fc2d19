"""What a match comes to in numbers: possession, kicks, and how far each robot went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ubersim.league.referee import Referee
from ubersim.league.situation import PLAY, Side
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Command, Robot
from ubersim.timing.latency import frame_at

_EVERY = 0.1
"""Seconds from look to look."""
_FASTEST = 10.0
"""What goes farther was put there by the referee [m/s]."""


@dataclass
class RobotFigures:
    """Of one robot."""

    side: Side
    number: int
    distance: float = 0.0
    """How far it went [m]."""
    kicks: int = 0
    touched: float = 0.0
    """For how long it was the last at the ball [s]."""


class Statistics(Observer):
    """Looks ten times a second; changes nothing."""

    def __init__(self, simulation: Simulation, referee: Referee) -> None:
        self._simulation, self._referee = simulation, referee
        self.robots: dict[str, RobotFigures] = {}
        """By name, of all that have played."""
        self.possession: dict[Side, float] = {"home": 0.0, "away": 0.0}
        """For how long a team was the last at the ball, while it was in play [s]."""
        self._places: dict[str, tuple[float, float]] = {}
        self._frames = max(1, frame_at(_EVERY, simulation.step_size))
        self.next_frame = simulation.frame
        simulation.observers.append(self)

    def begun(self, frame: int) -> None:
        """Measures."""
        self.next_frame = frame - frame % self._frames + self._frames
        seconds = self._frames * self._simulation.step_size
        for seen in self._referee.situation().robots:
            figures = self.robots.setdefault(seen.name, RobotFigures(seen.side, seen.number))
            way = math.dist(seen.place, self._places.get(seen.name, seen.place))
            figures.distance += way if way < _FASTEST * seconds else 0.0
            self._places[seen.name] = seen.place
        judge = self._referee.judge
        if judge.state == PLAY and judge.touched_by is not None:
            name, side = judge.touched_by
            self.possession[side] += seconds
            if name in self.robots:
                self.robots[name].touched += seconds

    def executed(self, robot: Robot, commands: Sequence[Command]) -> None:
        """Counts kicks."""
        for component, _, value in commands:
            motor = robot.motors.get(component)
            is_kicker = motor is not None and motor.description.tag == "Kicker"
            if is_kicker and not isinstance(value, bytes) and value > 0 and robot.name in self.robots:
                self.robots[robot.name].kicks += 1

    def share(self, side: Side) -> float:
        """Of the possession, 0 to 1."""
        total = sum(self.possession.values())
        return self.possession[side] / total if total else 0.0

    def table(self) -> str:
        """A line for each robot."""
        lines = [f"{'robot':<16}{'kicks':>7}{'distance [m]':>14}{'at the ball [s]':>17}"]
        for name, one in sorted(self.robots.items(), key=lambda item: (item[1].side != "home", item[1].number)):
            lines.append(f"{name:<16}{one.kicks:>7}{one.distance:>14.1f}{one.touched:>17.1f}")
        return "\n".join(lines)
