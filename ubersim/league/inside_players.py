"""Players inside the server: each has a robot, and is called when that has readings; what it does, it does alone."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from typing import Any

from ubersim.components.commandable import single
from ubersim.errors import UberSimError
from ubersim.league.player import SoccerPlayer
from ubersim.league.player_robot import PlayerRobot, WorldAccess
from ubersim.league.watchdog import Watchdog
from ubersim.protocol.frames import FrameDecoder, Value
from ubersim.simulation import Simulation
from ubersim.simulation.actor import Actor
from ubersim.simulation.inputs import RobotInput
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot import CLIENT, Robot
from ubersim.supervision import Interventions
from ubersim.timing.latency import NEVER

LIMIT = 2000
"""How long one call of a player may take, in frames of real time."""
_LONGEST = 4000
"""Characters of a traceback that go into the log: its end, which says most."""


class InsideRobot:
    """A robot as a player inside the server has it."""

    def __init__(self, robot: Robot, step: float) -> None:
        self.name, self.step = robot.name, step
        self.robot = robot
        self.settings = introduction_of(robot)
        self.decoder = FrameDecoder(self.settings["sensors"])

    def read(self, sensor: str) -> Value | None:
        """The newest reading so far, or one value of it; None before the first."""
        return self.decoder.read(sensor)

    def set(self, component: str, name: str | int, value: float) -> None:
        """Sets a property of a component, as it would be on the wire."""
        self.robot.command(component, name, single(value))

    def send(self, component: str, payload: bytes) -> None:
        """Sends a component a payload of its own."""
        self.robot.send(component, payload)

    def set_latency(self, milliseconds: float) -> None:
        """Changes the robot's own actuation latency."""
        self.set(CLIENT, "Latency", milliseconds)


class _Playing:
    """A player at its robot."""

    def __init__(self, player: SoccerPlayer, inside: InsideRobot, me: PlayerRobot) -> None:
        self.player, self.inside, self.me = player, inside, me

    @property
    def robot(self) -> Robot:
        """The robot that it is at."""
        return self.inside.robot


class Players(Actor):
    """All players of a simulation; the same bits as if each were a client over TCP."""

    name = "players"

    def __init__(
        self, simulation: Simulation, *, limit: float = LIMIT, told: Callable[[str, str], None] = lambda name, why: None
    ) -> None:
        """`limit`: how long a call may take, in frames of real time, or infinite; `told` hears who ended, and why."""
        self._simulation = simulation
        self._playing: dict[str, _Playing] = {}
        self._told = told
        self._watchdog = Watchdog(limit * simulation.step_size)
        simulation.actors.append(self)

    def start(
        self, player: SoccerPlayer, robot: RobotInput, *, seed: int | None = None, sees_all: bool = False
    ) -> Robot:
        """A player enters with its robot, in the current frame; `sees_all` grants it the whole truth."""
        alive = self._simulation.spawn(robot)
        self.take_over(player, alive, seed=seed, sees_all=sees_all)
        return alive

    def take_over(self, player: SoccerPlayer, alive: Robot, *, seed: int | None = None, sees_all: bool = False) -> None:
        """A player is at a robot from now on, instead of the one before."""
        simulation = self._simulation
        alive.commanded_here = True
        settings, inside = alive.description.settings, InsideRobot(alive, simulation.step_size)
        me = PlayerRobot(
            inside,
            team=alive.team,
            number=settings.number or 0,
            seed=simulation.seed if seed is None else seed,
            world=_World(simulation) if sees_all else None,
        )
        self._playing[alive.name] = _Playing(player, inside, me)

    def stop(self, name: str, why: str = "it was stopped") -> None:
        """Ends a player; its robot leaves the world."""
        if name not in self._playing:
            raise UberSimError(f"no player is at {name!r}; there are {', '.join(self._playing) or 'none'}")
        del self._playing[name]
        if name in self._simulation.robots:
            self._simulation.remove(name)
        self._simulation.mark(f"player {name} ended: {why}")
        self._told(name, why)

    def names(self) -> list[str]:
        """The robots that players are at."""
        return list(self._playing)

    def close(self) -> None:
        """Watches over players no more."""
        self._watchdog.close()

    @property
    def next_frame(self) -> int:
        """When one of their robots has something to read, or commands to execute."""
        now, found = self._simulation.frame, NEVER
        for playing in self._playing.values():
            robot = playing.robot
            if robot.sensed == now and robot.readings and robot.commands.acked < now:
                return now
            found = min(found, robot.next_frame, robot.commands.next_frame)
        return found

    def act(self, frame: int) -> None:
        """Lets those play whose robots have readings; acknowledges the frame for all."""
        for name, playing in list(self._playing.items()):
            robot = playing.robot
            if self._simulation.robots.get(name) is not robot:  # it was taken out of the world
                del self._playing[name]
                continue
            robot.commands.ack(frame - 1)
            if robot.sensed == frame and robot.readings and robot.commands.acked < frame:
                self._play(name, playing, frame)
            robot.commands.ack(frame)

    def restore(self, state: dict[str, Any]) -> None:
        """Robots may have been made anew; the players stay at those of the same names."""
        for name, playing in self._playing.items():
            if (robot := self._simulation.robots.get(name)) is not None:
                playing.inside.robot = robot
                robot.commanded_here = True

    def _play(self, name: str, playing: _Playing, frame: int) -> None:
        me, why = playing.me, ""
        me.begin(playing.inside.decoder.frame(frame * me.step, playing.robot.readings))
        try:
            if not self._watchdog.guard(lambda: playing.player.sense_and_act(me)):
                why = "it took too long"
        except Exception:  # whatever a player raises is its own business
            why = traceback.format_exc()[-_LONGEST:]
        if why or me.left:
            self.stop(name, why or "it left")


class _World(WorldAccess):
    """The whole truth."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._hands = Interventions(simulation)

    def place(self, thing: str) -> tuple[float, float, float]:
        x, y, z = map(float, self._simulation.body(thing).position)
        return x, y, z

    def velocity(self, thing: str) -> tuple[float, float, float]:
        x, y, z = map(float, self._simulation.body(thing).linear_velocity)
        return x, y, z

    def heading(self, robot: str) -> float:
        turn = self._simulation.body(robot).rotation
        return math.atan2(float(turn[1, 0]), float(turn[0, 0]))

    def things(self) -> tuple[str, ...]:
        return (*self._simulation.robots, *self._simulation.objects)

    def put(self, thing: str, position: tuple[float, float, float], heading: float | None = None) -> None:
        where = {"position": position, "heading": heading, "overlap": "lift"}
        self._hands.execute("Teleport", {"thing": thing, **where})
