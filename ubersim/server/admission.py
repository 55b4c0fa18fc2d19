"""How robots join: clients whose documents are sound get a robot in the world, and a session."""

from __future__ import annotations

from collections.abc import Callable

from ubersim.protocol import Welcome
from ubersim.server.client_sessions import ClientSessions
from ubersim.server.handshake import Arrival, HandshakeDesk
from ubersim.server.session import Session
from ubersim.simulation import Simulation


class Admission:
    """Robots join at a frame boundary, in order of name; the first ones when all are here that time waits for."""

    def __init__(
        self,
        simulation: Simulation,
        clients: ClientSessions,
        handshakes: HandshakeDesk,
        *,
        wait_for: int,
        lookahead: bool,
        draw: Callable[[str, bytes], None],
        note: Callable[[str], None],
    ) -> None:
        self._simulation = simulation
        self._clients = clients
        self._handshakes = handshakes
        self._wait_for = wait_for
        self._lookahead = lookahead
        self._draw = draw
        self._note = note
        self._ready: list[Arrival] = []

    @property
    def waits_for_robots(self) -> bool:
        """Whether time cannot begin yet."""
        return self._wait_for > 0

    def admit(self) -> None:
        """Lets robots join the current frame."""
        self._ready += self._handshakes.take()
        if len(self._ready) < self._wait_for:
            return
        self._wait_for = 0
        for arrival in sorted(self._ready, key=lambda arrival: arrival.description.name):
            self._join(arrival)
        self._ready.clear()

    def _join(self, arrival: Arrival) -> None:
        try:
            robot = self._simulation.spawn(arrival.description)
        except Exception as error:  # also whatever a third party's component raises
            self._handshakes.refuse(arrival.connection, str(error) or repr(error))
            return
        step, frame = self._simulation.step_size, self._simulation.frame
        welcome = Welcome.introducing(robot.introduction(), step=step, frame=frame)
        session = Session(arrival.connection, robot, welcome, lookahead=self._lookahead, draw=self._draw)
        self._clients.add(session)
        self._note(f"{robot.name} joined in frame {frame}")
        if arrival.early:
            session.take(arrival.early)
