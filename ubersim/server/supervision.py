"""Does what supervisors ask for, in the simulation's thread, within a frame: before its commands and its step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ubersim.errors import UberSimError
from ubersim.protocol import Error
from ubersim.server.client_sessions import ClientSessions
from ubersim.server.request_schedule import RequestSchedule
from ubersim.server.supervisor_connection import ReceivedRequest, SupervisorConnection, UnfinishedRequest
from ubersim.server.supervisor_io import SupervisorIO
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.supervision import CommandContext, Effect, Reply, SupervisorCommand, all_commands
from ubersim.supervision.clock import SupervisedClock
from ubersim.supervision.context import ServerSide, Timeline
from ubersim.supervision.ground_truth import GroundTruthSource
from ubersim.supervision.interventions import execute
from ubersim.supervision.registry import read_command
from ubersim.supervision.subscription import Subscription
from ubersim.timing.latency import NEVER


class Supervision:
    """All supervisors of one server."""

    def __init__(
        self,
        simulation: Simulation,
        clients: ClientSessions,
        clock: SupervisedClock,
        supervisors: SupervisorIO,
        *,
        truth: GroundTruthSource | None = None,
        timeline: Timeline | None = None,
    ) -> None:
        """With a `timeline` it is a log that is replayed: what would change anything is refused."""
        self._simulation = simulation
        self._clients = clients
        self._clock = clock
        self._supervisors = supervisors
        self._truth = truth or GroundTruthSource(simulation)
        self._timeline = timeline and replace(timeline, go=partial(self._seek, timeline.go))
        self._snapshots: dict[str, Snapshot] = {}
        self._schedule = RequestSchedule()
        self._changes = 0

    def attend(self) -> None:
        """Does what is due in the current frame."""
        if self._supervisors.supervisor_has_left():
            self._schedule.drop_orphans()
        while self._do_next():
            pass
        if not self._supervisors.connections:
            self._clock.release()
        self._show_pictures()
        for robot in self._robots_without_clients():
            robot.commands.ack(self._simulation.frame)  # there is no client that would
        self._clients.tell_listened()
        self._supervisors.sleep_until(self._next_frame())

    def _do_next(self) -> bool:
        """Whether there was something to do: a step that ends, a request whose frame or turn has come, a new one."""
        self._clock.end_step_if_due()
        self._answer_finished()
        if self._schedule.next_frame <= self._simulation.frame:
            self._execute_in_time(self._schedule.pop())
        elif (free := self._free_connection()) is not None:
            self._begin(free.waiting.popleft())
        elif requests := self._supervisors.take_requests():
            for received in requests:
                self._accept(received)
        else:
            return False
        return True

    def _free_connection(self) -> SupervisorConnection | None:
        """One whose requests waited for answers that it has now."""
        connections = list(self._supervisors.connections)
        return next((found for found in connections if found.waiting and not found.is_busy), None)

    # When

    def _accept(self, received: ReceivedRequest) -> None:
        connection = received.connection
        if (connection.is_busy or connection.waiting) and not _overtakes(received.request.verb):
            connection.waiting.append(received)
        else:
            self._begin(received)

    def _begin(self, received: ReceivedRequest) -> None:
        """Executes it, or keeps it until its frame has come, if its supervisor is still here then."""
        wanted = received.request.frame
        if wanted is None or wanted <= self._simulation.frame:
            self._execute_in_time(received)
        elif not received.connection.gone:
            self._schedule.add(wanted, received)

    def _execute_in_time(self, received: ReceivedRequest) -> None:
        frame, request = self._simulation.frame, received.request
        if request.frame is not None and request.frame < frame:
            received.failed(frame, f"{request.verb}: frame {request.frame} is over, it is {frame}")
        else:
            self._answer(received)

    def _next_frame(self) -> int:
        """The next frame in which there is something to do here, if nothing is asked for until then."""
        frames = [self._clock.next_frame, self._schedule.next_frame]
        frames += [connection.next_frame for connection in list(self._supervisors.connections)]
        if self._robots_without_clients():
            frames.append(self._simulation.frame + 1)
        return min(frames)

    def _robots_without_clients(self) -> list[Robot]:
        """Those that have commands to execute, left from when there was a client."""
        robots = self._simulation.robots
        if len(robots) == len(self._clients.sessions):
            return []
        unserved = (robot for name, robot in robots.items() if name not in self._clients.sessions)
        return [robot for robot in unserved if robot.commands.next_frame < NEVER and not robot.commanded_here]

    # What

    def _answer(self, received: ReceivedRequest) -> None:
        """Executes a request, and answers it, now or when it is done."""
        try:
            command = read_command(received.request.verb, received.request.arguments)
            context = self._context(received.connection)
            unfinished = UnfinishedRequest(received, command, context, self._execute(command, context))
        except Exception as error:
            self._refuse(received, error)
            return
        self._answer_finished()  # it may have ended a step
        if not self._answer_if_done(unfinished):
            received.connection.unfinished.append(unfinished)

    def _refuse(self, received: ReceivedRequest, error: Exception) -> None:
        """Whatever a command does, the server lives on."""
        reason = str(error) if isinstance(error, UberSimError) else f"the server could not do this: {error!r}"
        received.failed(self._simulation.frame, reason)

    def _context(self, asker: SupervisorConnection) -> CommandContext:
        server_side = ServerSide(self._clock, self._truth, asker, self._timeline)
        return CommandContext(self._simulation, self._snapshots, server_side)

    def _seek(self, go: Callable[[int], None], frame: int) -> None:
        """Everything is as in another frame; a step that is under way ends."""
        before = self._simulation.frame
        go(frame)
        self._changes += 1
        if self._clock.end_of_step is not None:
            self._clock.pause()
        self._jump(self._simulation.frame - before)

    def _execute(self, command: SupervisorCommand, context: CommandContext) -> Reply:
        if self._timeline is not None and command.effect is not Effect.NONE:
            raise UberSimError(f"{command.verb}: this is a log that is replayed, in which nothing can be changed")
        if command.settled:
            self._clients.settle()
        before = self._simulation.frame
        try:
            return execute(command, context)
        finally:  # one that fails may have changed something as well
            if command.effect is not Effect.NONE:
                self._changes += 1
                self._clients.follow_simulation(timeless=command.timeless)
                if not command.timeless:
                    self._jump(self._simulation.frame - before)

    def _jump(self, frames: int) -> None:
        """The same instant has another frame number now."""
        self._clock.shift(frames)
        for connection in list(self._supervisors.connections):
            if connection.subscription is not None:
                connection.subscription.jump(self._simulation.frame)

    def _answer_finished(self) -> None:
        """Answers what takes frames, and is done by now."""
        for connection in list(self._supervisors.connections):
            if connection.unfinished:
                connection.unfinished = [found for found in connection.unfinished if not self._answer_if_done(found)]

    def _answer_if_done(self, unfinished: UnfinishedRequest) -> bool:
        try:
            next_frame = unfinished.command.next_frame(unfinished.context)
            if next_frame is not None:
                unfinished.next_frame = next_frame
                return False
        except Exception as error:
            self._refuse(unfinished.received, error)
        else:
            unfinished.received.done(self._simulation.frame, unfinished.reply)
        return True

    # Looking

    def _show_pictures(self) -> None:
        """For those who watch."""
        frame, standing = self._simulation.frame, self._clock.stands_still
        state = frame, self._changes, standing
        for connection in list(self._supervisors.connections):
            subscription = connection.subscription
            if subscription is not None and subscription.is_due(frame):
                if subscription.is_news(state):
                    self._show(connection, subscription, standing=standing)
                subscription.shown(frame, state)

    def _show(self, connection: SupervisorConnection, subscription: Subscription, *, standing: bool) -> None:
        try:
            connection.show_next(self._truth.picture(subscription.content, standing=standing))
        except Exception as error:  # whatever it is, it concerns this supervisor alone
            connection.send(Error(f"the server could not show this: {error!r:.200}"))
            connection.leave()


def _overtakes(verb: str) -> bool:
    command = all_commands().get(verb)
    return command is not None and command.overtakes
