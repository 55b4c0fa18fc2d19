"""What a player has of its robot and its team, the same inside the server and over TCP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from ubersim.components.sensors.radio import messages_in
from ubersim.protocol.frames import Frame, Value
from ubersim.timing.latency import generator

RADIO, WHISTLE = "Radio", "Referee"
"""What those sensors are called on robots that play."""
_NOTHING: Mapping[str, Value] = {}


class RobotAccess(Protocol):
    """A robot as its program has it: `RemoteRobot`, or `InsideRobot` inside the server."""

    name: str
    step: float
    settings: dict[str, Any]
    """What a server says in its welcome: `sensors` are among it."""

    def read(self, sensor: str) -> Value | None:
        """The newest reading so far, or one value of it; None before the first."""

    def set(self, component: str, name: str | int, value: float) -> None:
        """Sets a property of a component; it takes the robot's latency."""

    def send(self, component: str, payload: bytes) -> None:
        """Sends a component a payload of its own."""


class WorldAccess(Protocol):
    """The whole truth, for players that are granted it."""

    def place(self, thing: str) -> tuple[float, float, float]:
        """Where a robot, by its first body, or an object is [m]."""

    def velocity(self, thing: str) -> tuple[float, float, float]:
        """How fast it is [m/s]."""

    def heading(self, robot: str) -> float:
        """How a robot is turned about +z [rad]."""

    def things(self) -> tuple[str, ...]:
        """All robots and objects."""

    def put(self, thing: str, position: tuple[float, float, float], heading: float | None = None) -> None:
        """Puts something somewhere else, at rest."""


class RefereeReport(NamedTuple):
    """What the referee says: `RefereeSensor` has the meaning of each."""

    state: float = 0.0
    restart: float = 0.0
    ours: float = 0.0
    direction: float = 1.0
    own_goals: float = 0.0
    other_goals: float = 0.0
    half: float = 1.0
    left: float = 0.0
    x: float = 0.0
    y: float = 0.0
    decisions: float = 0.0
    number: float = 0.0


class PlayerRobot:
    """A player's own side of things."""

    def __init__(
        self, robot: RobotAccess, *, team: str, number: int, seed: int, world: WorldAccess | None = None
    ) -> None:
        self._robot = robot
        self.name, self.step = robot.name, robot.step
        self.team, self.number = team, number
        self.sensors: frozenset[str] = frozenset(robot.settings["sensors"])
        """The names of the robot's sensors."""
        self.world = world
        """The whole truth, if it was granted; over TCP it never is."""
        self.random: np.random.Generator = generator(seed, robot.name, "player")
        """The player's own chance, from the match's seed and its name."""
        self.time = 0.0
        """Now [s]."""
        self.new: Mapping[str, Value] = _NOTHING
        """The readings that came in this frame, by sensor."""
        self.messages: list[tuple[str, bytes]] = []
        """What others of the team said and was heard in this frame: sender, message."""
        self.referee = RefereeReport()
        """What the referee said last."""
        self.left = False
        """Whether the player has ended by itself."""

    def begin(self, frame: Frame) -> None:
        """Takes in what came with a frame."""
        self.time, self.new = frame.time, frame.readings
        heard = self.new.get(RADIO)
        self.messages = [] if heard is None else messages_in(np.asarray(heard).tobytes())
        if (told := self.new.get(WHISTLE)) is not None:
            self.referee = RefereeReport(*np.asarray(told).tolist())

    def read(self, sensor: str) -> Value | None:
        """The newest reading of a sensor so far, or one value of it (`Imu.force.x`); None before the first."""
        return self._robot.read(sensor)

    def set(self, component: str, name: str | int, value: float) -> None:
        """Sets a property of a component, as in `me.set("Kicker", "Kick", 1.0)`; it takes the robot's latency."""
        self._robot.set(component, name, value)

    def send(self, component: str, payload: bytes) -> None:
        """Sends a component a payload of its own; it takes the robot's latency."""
        self._robot.send(component, payload)

    def broadcast(self, message: bytes) -> None:
        """Says something to all others of the team, by the robot's `Radio`."""
        self._robot.send(RADIO, message)

    def leave(self) -> None:
        """Ends the player; its robot leaves the world."""
        self.left = True
