"""When plain frames are left to the native lane, and what is to be done when it returns.

`Server._frame` is the specification. The lane takes frames in which nothing happens but what it knows: clients whose
messages are commands for joints and motors, stamps and acks; constant latencies; sensors that are arithmetic; a step of
physics; perhaps a digest. It stops before a frame with anything else, and in the middle of one when a client says
something else or nothing: Python finishes that frame. Outside of a call all state is Python's, so that nothing else has
to know that there is a lane.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal, get_args

from ubersim.errors import UberSimError
from ubersim.physics.frame_lane import FrameLane, LaneReason
from ubersim.server.client_sessions import ClientSessions
from ubersim.server.lane_client import LaneClient
from ubersim.simulation import Simulation
from ubersim.simulation.digest import DigestWriter
from ubersim.timing.latency import NEVER

Lane = Literal["python", "native", "auto"]
"""Who takes plain frames: Python's loop, the kernel, or the kernel wherever it is quicker."""
LANES: tuple[Lane, ...] = get_args(Lane)
"""All of them."""
_GLANCE = 0.02
"""How long a call may last: then Python looks at signals and its progress, and mostly calls again at once [s]."""
_FEW = 4
"""Frames of a visit that was hardly worth it."""
_LONGEST_PAUSE = 1024
"""Frames after which `auto` tries again at the latest."""


class NativeLane:
    """The lane of one server."""

    def __init__(
        self,
        simulation: Simulation,
        clients: ClientSessions,
        lane: Lane,
        may_spin: Callable[[], bool],
        glance: Callable[[int], None],
    ) -> None:
        if lane not in LANES:
            raise UberSimError(f"a lane is {', '.join(LANES[:-1])} or {LANES[-1]}, not {lane!r}")
        self.next_frame = NEVER if lane == "python" else 0
        """The next frame in which it is worth trying."""
        self.frames = 0
        """How many it has begun so far."""
        self.returns: Counter[LaneReason] = Counter()
        """Why it came back to Python, and how often."""
        self._simulation = simulation
        self._clients = clients
        self._patient = lane == "native"
        self._may_spin = may_spin
        self._glance = glance
        self._pause = 1
        self._lane = FrameLane(simulation.world, simulation.step_size)
        self._members: list[LaneClient] = []

    def interrupt(self) -> None:
        """Something has come in, in another thread."""
        self._lane.interrupt()

    def listen(self) -> None:
        """What has come in up to now is looked at after this."""
        self._lane.listen()

    def run(self, until: int) -> int:
        """Simulates plain frames, up to another one at most; how many of them have begun.

        If `in_the_middle`, the last of them is waited for or has to be stepped.
        """
        frame = self._simulation.frame
        lent_until = self._lend() if until > frame else 0
        if not lent_until:
            self._rest(0)
            return 0
        self._hash_frames()
        reason = self._visit(min(until, lent_until))
        self.returns[reason] += 1
        self._write_digests(frame)
        begun = self._simulation.frame - frame + self._lane.middle
        for member in self._members:
            member.take_back()
        if reason in (LaneReason.LOST, LaneReason.UNSENT) and (reason is LaneReason.LOST or self._lane.error):
            session = self._members[self._lane.culprit].session
            session.lost(self._lane.error, sending=reason is LaneReason.UNSENT)
        self.frames += begun
        self._rest(begun)
        return begun

    def _visit(self, until: int) -> LaneReason:
        """Calls until there is something to do; handing everything over and back takes as long as many frames."""
        simulation, spin = self._simulation, self._may_spin()
        while True:
            frame = simulation.frame
            reason = self._lane.run(frame, until, _GLANCE, spin=spin)
            simulation.frame = self._lane.frame
            self._glance(self._lane.frame - frame + self._lane.middle)
            if reason is not LaneReason.CLOCK:  # a signal's handler has interrupted it by now
                return reason

    @property
    def in_the_middle(self) -> bool:
        """Whether the last call has begun a frame that it did not end."""
        return self._lane.middle

    def _rest(self, begun: int) -> None:
        """Where visits are short, Python is quicker."""
        if self._patient:
            return
        few = _FEW if self._clients.sessions else 0  # to lend clients takes its time
        self._pause = 1 if begun > few else min(2 * self._pause, _LONGEST_PAUSE)
        self.next_frame = self._simulation.frame + self._pause - 1

    def _lend(self) -> int:
        """Hands over all that is needed; up to which frame, or 0, and then nothing was handed over."""
        simulation = self._simulation
        sessions = self._clients.sessions
        if not sessions:
            return self._until_something_happens()
        plain = not simulation.forces and len(self._digest_writers()) == len(simulation.observers)
        if not plain or len(sessions) != len(simulation.robots):
            return 0
        if any(session.loose for session in sessions.values()):
            return 0
        until = min((actor.next_frame for actor in simulation.actors), default=NEVER)
        if until <= simulation.frame:
            return 0
        self._know_clients()
        if any(member.next_foreign_frame() <= simulation.frame for member in self._members):
            return 0  # a look at this is cheaper than to lend everything in vain
        for done, member in enumerate(self._members):
            end = member.lend(simulation.frame)
            if end is not None and end > simulation.frame:
                until = min(until, end)
                continue
            for other in self._members[: done + (end is not None)]:
                other.give_back_unchanged()
            return 0
        return until

    def _until_something_happens(self) -> int:
        """Without clients, as in a match between players inside the server, physics runs on to the next event."""
        simulation = self._simulation
        if any(not robot.commanded_here for robot in simulation.robots.values()):
            return 0
        self._know_clients()
        return simulation.next_event(NEVER, apart_from=self._digest_writers()) if simulation.robots else 0

    def _know_clients(self) -> None:
        sessions, robots = self._clients.sessions, self._simulation.robots
        pairs = [(sessions[name], robot) for name, robot in robots.items() if name in sessions]
        if len(pairs) == len(self._members) and all(
            member.is_current(*pair) for member, pair in zip(self._members, pairs, strict=True)
        ):
            return
        self._members = []
        clients = self._lane.clients(len(pairs))
        self._members = [LaneClient(clients + place, *pair) for place, pair in enumerate(pairs)]

    def _hash_frames(self) -> None:
        simulation = self._simulation
        self._lane.hash_frames(simulation.digest_order() if self._digest_writers() else None)

    def _write_digests(self, first: int) -> None:
        if writers := self._digest_writers():
            digests = self._lane.take_digests()
            for writer in writers:
                writer.write(first, digests)

    def _digest_writers(self) -> list[DigestWriter]:
        return [observer for observer in self._simulation.observers if isinstance(observer, DigestWriter)]
