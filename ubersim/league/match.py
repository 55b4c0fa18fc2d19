"""A match from beginning to end: server, teams, referee; what came of it."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ubersim.description.resources import by_name
from ubersim.description.world_file import Field
from ubersim.errors import UberSimError
from ubersim.files import read_text
from ubersim.league.equipment import Equipment, equipped
from ubersim.league.inside_players import Players
from ubersim.league.match_file import MatchPlan, RobotPlan, TeamPlan
from ubersim.league.placing import formation_places
from ubersim.league.player import SoccerPlayer, make_player
from ubersim.league.referee import Referee
from ubersim.league.situation import OVER, Ruling, Side
from ubersim.league.statistics import Statistics
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.simulation.budget import RobotBudget
from ubersim.transport.child_process import end_process

SIDES: tuple[Side, Side] = ("home", "away")
_ENDS_WITHIN = 5.0
"""Real time that a program has to end after the match, before it is ended [s]."""


@dataclass
class Result:
    """What came of a match."""

    names: tuple[str, str]
    score: tuple[int, int]
    rulings: list[tuple[float, Ruling]]
    possession: tuple[float, float]
    """Shares, 0 to 1."""
    table: str
    frames: int
    seconds: float
    """Simulated."""
    digest: str
    """Of the last frame."""
    ended: dict[str, str] = field(default_factory=dict)
    """Players and programs that ended before the match did, and why."""

    def line(self) -> str:
        """The score, in one line."""
        home, away = self.names
        return f"{home} {self.score[0]}:{self.score[1]} {away}"


@dataclass
class Match:
    """A match that is set up, and has yet to be played."""

    plan: MatchPlan
    simulation: Simulation
    referee: Referee
    players: Players
    statistics: Statistics
    documents: dict[str, tuple[RobotPlan, TeamPlan, str]]
    """Of robots that programs play, by name."""
    ended: dict[str, str]


def set_up(
    plan: MatchPlan, *, render_workers: int = 0, told: Callable[[float, Ruling], None] = lambda time, ruling: None
) -> Match:
    """The simulation with its referee and the players that live inside; programs have yet to come."""
    simulation = Simulation(Path(plan.world), step=plan.step, seed=plan.seed, render_workers=render_workers)
    simulation.budget = RobotBudget()
    names = {side: plan.team(side).name for side in SIDES}
    referee = Referee(
        simulation,
        home=names["home"],
        away=names["away"],
        changes=plan.rules,
        clients_may_ask=plan.commands == "clients",
        told=told,
    )
    ended: dict[str, str] = {}
    players = Players(simulation, limit=plan.limit, told=ended.__setitem__)
    programs = {}
    everybody = [_name(plan.team(side), robot) for side in SIDES for robot in plan.team(side).robots]
    for side in SIDES:
        team = plan.team(side)
        for robot in team.robots:
            kit = _kit(plan, side, robot, referee)
            document = equipped(read_text(_file(robot.robot, team.folder)), kit, everybody)
            if robot.program:
                programs[kit.name] = robot, team, document
            else:
                player = _player(robot, team, referee.field)
                players.start(player, document, seed=plan.seed, sees_all=plan.world_state)
    return Match(plan, simulation, referee, players, Statistics(simulation, referee), programs, ended)


def play(
    match: Match,
    *,
    frames: int | None = None,
    digest: TextIO | None = None,
    rate: float = 0.0,
    port: int = 0,
    during: Callable[[Server], None] = lambda server: None,
    until: Callable[[], bool] = lambda: False,
) -> Result:
    """Plays it to its end, for so many frames, or until a ruling makes `until` hold; `during` gets the server."""
    programs = match.documents
    with (
        Server(match.simulation, port=port, clients=len(programs), rate=rate, digest=digest) as server,
        _started(programs, server.address, match.ended),
        _interruptible(server),
    ):

        def decided(time: float, ruling: Ruling) -> None:
            if match.referee.judge.state == OVER or until():
                server.stop()

        match.referee.listeners.append(decided)
        during(server)
        server.run(frames)
        result = _result(match)
    match.players.close()
    return result


def _result(match: Match) -> Result:
    judge, statistics, simulation = match.referee.judge, match.statistics, match.simulation
    return Result(
        names=(match.plan.home.name, match.plan.away.name),
        score=(judge.score["home"], judge.score["away"]),
        rulings=list(match.referee.rulings),
        possession=(statistics.share("home"), statistics.share("away")),
        table=statistics.table(),
        frames=simulation.frame,
        seconds=simulation.time,
        digest=simulation.digest(),
        ended=dict(match.ended),
    )


def _name(team: TeamPlan, robot: RobotPlan) -> str:
    return f"{team.name}{robot.number}"


def _kit(plan: MatchPlan, side: Side, robot: RobotPlan, referee: Referee) -> Equipment:
    team, way = plan.team(side), referee.judge.direction(side)
    formation = referee.rules.formation
    places = formation.ours if side == "home" else formation.theirs
    return Equipment(
        name=_name(team, robot),
        team=team.name,
        number=robot.number,
        place=formation_places(places, referee.field, robot.number, way),
        heading=0.0 if way > 0 else 180.0,
        color=team.color,
        level=robot.level,
        wheels=robot.wheels,
        picture=robot.picture,
        frequency=robot.frequency,
        radio=plan.radio,
    )


def _file(robot: str, folder: Path) -> Path:
    beside = folder / robot
    return beside if beside.is_file() else by_name(robot, "robots")


def _player(robot: RobotPlan, team: TeamPlan, field_: Field) -> SoccerPlayer:
    """With the field's sizes, if its constructor wants them."""
    sizes = {"width": field_.width, "length": field_.length, "goal_width": field_.goal_width}
    return make_player(robot.player, robot.options, team.folder, offered=sizes)


# Programs


@contextmanager
def _started(
    programs: Mapping[str, tuple[RobotPlan, TeamPlan, str]], address: Any, ended: dict[str, str]
) -> Iterator[None]:
    """The programs of robots, each in a process of its own, until the match is over."""
    host, port = address
    running: dict[str, subprocess.Popen[bytes]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            for name, (robot, team, document) in programs.items():
                (folder / f"{name}.xml").write_text(document)
                words = {"robot": str(folder / f"{name}.xml"), "host": host, "port": str(port), "name": name}
                words |= {"python": sys.executable, "team": team.name, "number": str(robot.number)}
                running[name] = _start([part.format(**words) for part in robot.program], team.folder)
            yield
        finally:
            for name, process in running.items():
                _end(name, process, ended)


def _start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise UberSimError(f"cannot start {shlex.join(command)[:200]}: {error.strerror}") from None


def _end(name: str, process: subprocess.Popen[bytes], ended: dict[str, str]) -> None:
    if (code := process.poll()) is not None and code != 0:
        ended[name] = f"its program ended with {code}"
    end_process(process, _ENDS_WITHIN)


@contextmanager
def _interruptible(server: Server) -> Iterator[None]:
    """Ctrl-C ends the match, not the program, where that can be told."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    import signal

    before = signal.signal(signal.SIGINT, lambda *_: server.stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
