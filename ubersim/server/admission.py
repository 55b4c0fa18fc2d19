"""How robots join: clients whose documents are sound get a robot in the world, and a session."""

from __future__ import annotations

from collections.abc import Callable

from ubersim.components.sensors.compression import PictureCompression
from ubersim.description import RobotDescription
from ubersim.errors import UberSimError
from ubersim.protocol import Welcome
from ubersim.protocol.welcome import about_server
from ubersim.server.client_sessions import ClientSessions
from ubersim.server.handshake import Arrival, Handshakes
from ubersim.server.open_session import open_session
from ubersim.server.session import LogSink
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot import Robot
from ubersim.transport.address import host_of

MOST_REMEMBERED = 4096
"""Robots that have left, and whose clients may take them over if a snapshot brings them back."""


class Admission:
    """Robots join at a frame boundary, in order of name; the first ones when all are here that time waits for."""

    def __init__(
        self,
        simulation: Simulation,
        clients: ClientSessions,
        handshakes: Handshakes,
        *,
        wait_for: int,
        stands_still: Callable[[], bool],
        lookahead: bool,
        loose: bool,
        draw: Callable[[str, bytes], None],
        logs: LogSink,
        note: Callable[[str], None],
    ) -> None:
        self._simulation = simulation
        self._clients = clients
        self._handshakes = handshakes
        self._wait_for = wait_for
        self._stands_still = stands_still
        self._lookahead, self._loose = lookahead, loose
        self._draw, self._logs = draw, logs
        self._note = note
        self.end_frame: int | None = None
        """The frame in which the run ends; None: it is open."""
        self._hosts: dict[str, str] = {}  # where robots' clients came from last

    @property
    def waits_for_robots(self) -> bool:
        """Whether time cannot begin yet."""
        return self._wait_for > 0

    @property
    def missing(self) -> int:
        """How many more robots have to wait at the door before time begins."""
        return max(0, self._wait_for - self._handshakes.waiting)

    def admit(self) -> None:
        """Lets robots join the current frame."""
        arrivals = self._handshakes.take(self._wait_for, self._may_join)
        if len(arrivals) < self._wait_for:
            return
        self._wait_for = 0
        for arrival in sorted(arrivals, key=lambda arrival: arrival.description.name):
            try:
                robot = self._taken_over(arrival) or self._simulation.spawn(arrival.description)
            except Exception as error:  # also whatever a third party's component raises
                self._handshakes.refuse(arrival.connection, str(error) or repr(error))
            else:
                self._open_session(arrival, robot)

    def _may_join(self, description: RobotDescription) -> bool:
        """While time goes on, a robot whose client has gone leaves first, in the frame that its acks determine."""
        return self._stands_still() or not self._clients.is_leaving(description.name)

    def _open_session(self, arrival: Arrival, robot: Robot) -> None:
        step, frame = self._simulation.step_size, robot.commands.first
        compression = PictureCompression(robot.description)
        about = compression.introduced(introduction_of(robot))
        if robot.description.settings.protocol >= 2:
            about |= about_server(self._simulation.description.title, self.end_frame)
        settings = robot.description.settings
        if loose := self._loose or settings.loose:
            about["loose"] = True
        welcome = Welcome.introducing(about, step=step, frame=frame)
        session = open_session(
            arrival.connection,
            robot,
            welcome,
            loose=loose,
            lookahead=self._lookahead,
            draw=self._draw,
            logs=self._logs,
            compression=compression,
        )
        self._clients.add(session)
        self._remember(robot.name, host_of(arrival.connection))
        self._note(f"{robot.name} joined in frame {frame}")
        if arrival.early:
            session.take(arrival.early)

    def _remember(self, name: str, host: str) -> None:
        """Where a robot's client came from; of those that are not here any more, the oldest are forgotten."""
        self._hosts.pop(name, None)
        self._hosts[name] = host
        if len(self._hosts) > MOST_REMEMBERED + len(self._simulation.robots):
            del self._hosts[next(old for old in self._hosts if old not in self._simulation.robots)]

    def _taken_over(self, arrival: Arrival) -> Robot | None:
        """A robot whose client is no more, as it is, for one that comes from the same machine with the same document.

        So it goes on after a crash while time stands still, or when a snapshot has brought it back.
        """
        name = arrival.description.name
        robot = self._simulation.robots.get(name)
        if robot is None or name not in self._hosts or not self._clients.has_gone(name):
            return None
        if arrival.description.source_text != robot.description.source_text:
            raise UberSimError(f"{name!r} is here without its client; it cannot be taken over with another document")
        if host_of(arrival.connection) != self._hosts[name]:
            raise UberSimError(f"{name!r} is here without its client; it cannot be taken over from another address")
        self._clients.forget(name)
        robot.commands.ack(self._simulation.frame - 1)
        self._simulation.heed_sensors(robot)
        return robot
