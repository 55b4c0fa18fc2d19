"""May time advance? From what one client has acknowledged and commanded, and from nothing else; in whole frames.

A command stamped with frame s is executed at frame s + d, d being its delay. Stamps lie at or after the first frame
that the client has not acknowledged, so what it acknowledges bounds what it can still command: `horizon` is the last
frame for which nothing more can come. The server executes a frame when it is within every client's horizon.

A change of latency is a command as well. It takes effect at the frame e at which it is executed, and governs the
commands that are stamped e or later (of those stamped e, the ones sent after it). So the latency is a function L(s) of
the stamp, known up to what is still to come; and that cannot lower the horizon h = min (s + L(s)) - 1: every command
that has yet to enter is executed at s + L(s) > h at the earliest. If it is a change, then it takes effect at e > h and
governs only stamps s >= e, which are executed at s + L'(s) >= s >= e > h, whatever the new latency L' is.

Commands enter the delay queue in the order (stamp, arrival), which is therefore the order of the random draws: one that
is stamped with the first unacknowledged frame enters at once, for nothing can come before it any more; a later one is
held until an acknowledgement makes it so. That is early enough, for the horizon minds every stamp that can be held.

A client may cancel commands of its own that would be executed at or after some frame. As a command does, that takes the
latency: what is executed before its stamp plus the smallest delay is out of its reach. So it concerns nothing within
the horizon, which may have been executed by now; and as the horizon follows from the client's own messages, so does
what is cancelled. Of a command that is held, the frame of execution is known when it enters, and it is dropped then.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from numpy.random import Generator

from ubersim.errors import RemoteProtocolError
from ubersim.timing.cancellations import Cancellations
from ubersim.timing.delay_queue import DelayQueue
from ubersim.timing.latency import (
    NEVER,
    Latency,
    LatencyModel,
    frame_at,
    frames_in,
    last_frame_at,
    objection,
)
from ubersim.timing.lent_commands import LentCommands, ReturnedCommands

T = TypeVar("T")

MAX_AHEAD = 1_000_000
"""How far a stamp may lie beyond the first unacknowledged frame [frames]."""
MAX_COMMANDS = 65_536
"""How many commands of one client may be under way, and how many may wait for their stamp."""
MAX_CHANGES = 1024
"""How many changes of latency may be under way."""
MAX_SEARCHED = 2**21
"""How many commands may be looked at, over and over, by the cancellations that come between two acknowledgements."""
MAX_BYTES = 16 * 2**20
"""Of the payloads of one client's commands that are under way, and of those that wait for their stamp."""


class CommandSchedule(Generic[T]):
    """The commands of one client, from their arrival to the frame in which they are executed."""

    def __init__(
        self,
        model: LatencyModel,
        step: float,
        rng: Generator,
        *,
        first_frame: int = 0,
        size: Callable[[T], int] = lambda command: 0,
        component: Callable[[T], str] = lambda command: "",
    ) -> None:
        """`size` is how many bytes a command holds beyond what every command does; `component`, whom it is for."""
        self.acked = first_frame - 1
        """The last frame that the client has acknowledged."""
        self._step = step
        self._queue: DelayQueue[T] = DelayQueue(model, step, rng)
        self._stamp = first_frame
        self._received = 0
        # (stamp, order of arrival, command, None) or (stamp, order of arrival, None, latency [ms])
        self._held: list[tuple[int, int, T | None, float | None]] = []
        # (frame in which it takes effect, order of entry, latency [ms] or model)
        self._changes: list[tuple[int, int, Latency]] = []
        # The same, until the frame in which they take effect is executed.
        self._announced: list[tuple[int, int, Latency]] = []
        self.sent: list[int] = []
        """The stamps of the commands that `due` returned last, in the same order."""
        self.due_frame = first_frame - 1
        """The frame for which `due` was called last."""
        self._acting = model
        self.changed: list[LatencyModel] = []
        """The latencies that took effect in the frame for which `due` was called last."""
        # (order of arrival, first frame that is cancelled, component), as long as held commands may be concerned
        self._cancels = Cancellations()
        self._searched = (first_frame - 1, 0)  # by cancellations: since that acknowledgement, so many commands
        self._component = component
        # Frames of execution, of at least all commands that are under way; see _account.
        self._executions: list[int] = []
        # The same with their sizes, of those that have one.
        self._size = size
        self._sizes: list[tuple[int, int]] = []
        self._bytes = 0
        self._held_bytes = 0
        self.horizon = self.acked + self._queue.minimum
        """The last frame for which no more commands can come."""

    @property
    def first(self) -> int:
        """The first frame that is not acknowledged: no stamp may be earlier."""
        return self.acked + 1

    @property
    def leave_frame(self) -> int:
        """The frame at which the robot goes if nothing more is heard of its client: the first it holds up."""
        return self.horizon + 1

    @property
    def next_frame(self) -> int:
        """The earliest frame for which `due` has something now."""
        if self._announced:
            return min(self._queue.next_frame, self._announced[0][0])
        return self._queue.next_frame

    @property
    def under_way(self) -> list[tuple[int, T]]:
        """Frame of execution and command, of all that are under way, in the order of their entry."""
        return self._queue.under_way()

    @property
    def journeys(self) -> list[tuple[int, int, T]]:
        """The same with their stamps: stamp, frame of execution, command."""
        return self._queue.journeys()

    @property
    def latency(self) -> LatencyModel:
        """The latency that governs commands stamped with the first unacknowledged frame."""
        return self._queue.model

    def stamp(self, frame: int) -> None:
        """Commands without a stamp of their own are from now on stamped with this frame, until it is acknowledged."""
        self._check_stamp(frame)
        self._stamp = frame

    def stamp_at(self, time: float) -> None:
        """`stamp`, for an instant [s]: between two frames it counts as the second, but the first must be open too."""
        if last_frame_at(time, self._step) <= self.acked:
            raise RemoteProtocolError(f"the stamp {time:.9g} s is stale: it lies before frame {self.acked + 1}")
        self.stamp(frame_at(time, self._step))

    def receive(self, stamp: int | None, command: T) -> None:
        """Takes a command in."""
        first = self.acked + 1
        if stamp is None and self._stamp <= first and not self._changes:  # nearly always; the same as _take, in short
            frame = self._queue.push(command, first)
            if frame is not None:
                self._account(frame, command)
        else:
            self._take(stamp, command, None)

    def receive_latency(self, stamp: int | None, milliseconds: float) -> None:
        """Takes a change of the latency in."""
        if reason := objection(milliseconds):
            raise RemoteProtocolError(reason)
        self._take(stamp, None, milliseconds)

    def change_latency(self, frame: int, latency: Latency) -> None:
        """A supervisor, not the client, changes the latency, of the commands that are stamped after this frame.

        As long as the client cannot have acknowledged this frame, none of them has entered, and it does not matter how
        far its messages have come. Of changes that take effect together, the client's own among them, this one wins.
        """
        if reason := objection(_least(latency)):
            raise RemoteProtocolError(reason)
        for known in (self._changes, self._announced):
            known[:] = [change for change in known if change[:2] != (frame + 1, NEVER)]
            known.append((frame + 1, NEVER, latency))
            heapq.heapify(known)
        self._look_ahead()

    def cancel(self, component: str, frame: int, stamp: int | None = None) -> None:
        """Drops the client's commands so far for a component (empty: for all) that would be executed from a frame on.

        Changes of latency stay.
        """
        sent = max(self._stamp, self.first) if stamp is None else stamp
        self._check_stamp(sent)
        frame = max(frame, self.horizon + 1, sent + self._queue.minimum)
        self._search()
        self._queue.drop(frame, lambda command: component in ("", self._component(command)))
        if self._held:
            self._cancels.add(self._received, frame, component)
            self._received += 1

    def _search(self) -> None:
        """A cancellation looks at all that is under way, of which the client's own messages decide, as of its limit."""
        self._executions = [frame for frame in self._executions if frame >= self.acked]
        acked, count = self._searched
        count = (count if acked == self.acked else 0) + len(self._executions)
        self._searched = self.acked, count
        if count > MAX_SEARCHED:
            raise RemoteProtocolError(f"too many cancellations for the {len(self._executions)} commands under way")

    def cancel_at(self, component: str, time: float) -> None:
        """`cancel`, for a time [s]."""
        self.cancel(component, frame_at(time, self._step))

    def ack(self, frame: int, sent: int | None = None) -> None:
        """The client has processed this frame, of those up to `sent`; what is acknowledged already changes nothing."""
        if frame <= self.acked:
            return
        if sent is not None and frame > sent:
            raise RemoteProtocolError(f"frame {frame} is acknowledged, but the last one sent is {sent}")
        self.acked = frame
        if self._held or self._changes:
            self._catch_up()
        else:
            self.horizon = frame + self._queue.minimum

    def ack_at(self, time: float, sent: int | None = None) -> None:
        """`ack`, for the time of a frame [s]."""
        frame = self.acked + 1
        if time != frame * self._step:  # nearly always it is the next frame's, as it was sent
            frame = last_frame_at(time, self._step)
        self.ack(frame, sent)

    def due(self, frame: int) -> list[T]:
        """The commands to execute in this frame, in order."""
        assert frame <= self.horizon, f"frame {frame} is executed, but commands can still come for {self.horizon + 1}"
        found = self._queue.pop_due(frame)
        self.sent, self.due_frame = self._queue.sent if found else [], frame
        self.changed = []
        while self._announced and self._announced[0][0] <= frame:
            # Not by the queue's model, which is that of the next command: how far it is ahead, only acks say.
            self._acting = self._acting.changed_to(heapq.heappop(self._announced)[2])
            self.changed.append(self._acting)
        return found

    def lend(self, lendable: Callable[[T], bool]) -> LentCommands[T] | None:
        """What decides about commands from now on, for one who takes the client's messages instead, until `take_back`.

        None if that takes more than a constant latency.
        """
        held = sorted(self._held, key=lambda entry: entry[:2])
        commands = [(stamp, number, command) for stamp, number, command, _ in held if command is not None]
        if self._changes or self._announced or self._cancels or len(commands) != len(held):
            return None
        if not all(lendable(command) for _, _, command in commands):
            return None
        queue = self._queue.lend(lendable)
        if queue is None:
            return None
        room = 2 * MAX_COMMANDS - len(self._executions)
        return LentCommands(self.acked, self._stamp, self._received, room, queue, commands, *self._queue.plain)

    def take_back(self, back: ReturnedCommands[T]) -> None:
        """Goes on from what has become of what was lent."""
        self.acked, self._stamp, self._received = back.acked, back.stamp, back.received
        self._queue.take_back(back.left, back.pushed, back.new, back.latest)
        self._held = [(stamp, number, command, None) for stamp, number, command in back.held]
        self._executions += back.executions
        self.horizon = self.acked + self._queue.minimum

    def _check_stamp(self, frame: int) -> None:
        first = self.acked + 1
        if frame < first:
            raise RemoteProtocolError(f"the stamp of frame {frame} is stale: frame {self.acked} is acknowledged")
        if frame > first + MAX_AHEAD:
            raise RemoteProtocolError(f"the stamp of frame {frame} is more than {MAX_AHEAD} frames ahead of {first}")

    def _take(self, stamp: int | None, command: T | None, latency: float | None) -> None:
        first = self.acked + 1
        if stamp is None:
            stamp = max(self._stamp, first)
        else:
            self._check_stamp(stamp)
        if stamp == first:
            self._enter(stamp, command, latency)
            if latency is not None:
                self._look_ahead()
        elif len(self._held) < MAX_COMMANDS:
            heapq.heappush(self._held, (stamp, self._received, command, latency))
            self._received += 1
            self._held_bytes += 0 if command is None else self._size(command)
            if self._held_bytes > MAX_BYTES:
                raise RemoteProtocolError(f"more than {MAX_BYTES} bytes are waiting for the time of their stamp")
        else:
            raise RemoteProtocolError(f"more than {MAX_COMMANDS} commands are waiting for the time of their stamp")

    def _enter(self, stamp: int, command: T | None, latency: float | None, number: int = NEVER) -> None:
        """The delay begins. Called in the order (stamp, arrival); `number` is that of the arrival, if it was held."""
        if self._changes:
            self._apply_changes(stamp)
        if latency is None:
            frame = self._queue.arrival(stamp)
            if frame is not None and self._cancels and self._is_cancelled(command, number, frame):
                return
            if frame is not None:
                self._queue.put(command, frame, stamp)  # type: ignore[arg-type]  # a command, then
        else:
            frame = self._queue.arrival(stamp)
            if frame is not None:
                if len(self._changes) >= MAX_CHANGES:
                    raise RemoteProtocolError(f"more than {MAX_CHANGES} changes of latency are under way")
                heapq.heappush(self._changes, (frame, self._received, latency))
                heapq.heappush(self._announced, (frame, self._received, latency))
                self._received += 1
        if frame is not None:
            self._account(frame, command)

    def _is_cancelled(self, command: T | None, number: int, frame: int) -> bool:
        return self._cancels.concern("" if command is None else self._component(command), number, frame)

    def _account(self, execution: int, command: T | None) -> None:
        # What is before the acknowledged frame has been executed. Counting the rest, instead of what the queue holds at
        # this moment, makes the limit a matter of the client's own messages, and not of how fast the server is.
        self._executions.append(execution)
        if len(self._executions) > 2 * MAX_COMMANDS:
            self._executions = [frame for frame in self._executions if frame >= self.acked]
            if len(self._executions) > MAX_COMMANDS:
                raise RemoteProtocolError(f"more than {MAX_COMMANDS} commands are under way")
        if command is not None and (size := self._size(command)):
            self._sizes.append((execution, size))
            self._bytes += size
            if self._bytes > 2 * MAX_BYTES:
                self._sizes = [known for known in self._sizes if known[0] >= self.acked]
                self._bytes = sum(size for _, size in self._sizes)
                if self._bytes > MAX_BYTES:
                    raise RemoteProtocolError(f"more than {MAX_BYTES} bytes of commands are under way")

    def _catch_up(self) -> None:
        """After an acknowledgement: what was held for the frames up to the first unacknowledged one enters."""
        held = self._held
        while held and held[0][0] <= self.acked + 1:
            stamp, number, command, latency = heapq.heappop(held)
            self._held_bytes -= 0 if command is None else self._size(command)
            self._enter(stamp, command, latency, number)
        if not held:
            self._cancels.clear()
        self._look_ahead()

    def _apply_changes(self, stamp: int) -> None:
        while self._changes and self._changes[0][0] <= stamp:
            self._queue.change(heapq.heappop(self._changes)[2])

    def _look_ahead(self) -> None:
        """The horizon: the minimum of s + L(s) - 1 over all stamps s to come; each stretch of equal L has it first."""
        self._apply_changes(self.acked + 1)
        horizon = self.acked + self._queue.minimum
        # Of changes that take effect in the same frame the last one wins.
        for effective, latency in {change[0]: change[2] for change in sorted(self._changes)}.items():
            horizon = min(horizon, effective - 1 + frames_in(_least(latency), self._step))
        self.horizon = horizon

    def state(self, encode: Callable[[T], Any] = lambda command: command) -> dict[str, Any]:
        """Everything that decides about the future, as plain data; `encode` makes plain data of a command."""
        return {
            "acked": self.acked,
            "stamp": self._stamp,
            "received": self._received,
            "queue": self._queue.state(encode),
            "held": [[s, n, None if c is None else encode(c), latency] for s, n, c, latency in self._held],
            "changes": [[*change[:2], _plain(change[2])] for change in self._changes],
            "announced": [[*change[:2], _plain(change[2])] for change in self._announced],
            "acting": self._acting.to_dict(),
            "cancels": self._cancels.state(),
            "executions": list(self._executions),
            "sizes": [list(known) for known in self._sizes],
        }

    def restore(self, state: dict[str, Any], decode: Callable[[Any], T] = lambda plain: plain) -> None:
        """Goes on from where `state` was taken; `decode` undoes its `encode`."""
        self.acked, self._stamp, self._received = state["acked"], state["stamp"], state["received"]
        self._queue.restore(state["queue"], decode)
        self._held = [(s, n, None if c is None else decode(c), latency) for s, n, c, latency in state["held"]]
        self._changes, self._announced = (
            [(effective, number, _latency(plain)) for effective, number, plain in state.get(which, ())]
            for which in ("changes", "announced")
        )
        # Older snapshots do not say which model acts.
        self._acting = LatencyModel.from_dict(state.get("acting", state["queue"]["model"]), type(self._acting))
        self._cancels.restore(state.get("cancels", ()))
        self._executions = list(state["executions"])
        self._sizes = [(execution, size) for execution, size in state.get("sizes", ())]
        self._bytes = sum(size for _, size in self._sizes)
        self._held_bytes = sum(self._size(command) for _, _, command, _ in self._held if command is not None)
        self._look_ahead()


def _least(latency: Latency) -> float:
    """No item takes less [ms]."""
    return latency.minimum if isinstance(latency, LatencyModel) else latency


def _plain(latency: Latency) -> Any:
    return latency.to_dict() if isinstance(latency, LatencyModel) else latency


def _latency(plain: Any) -> Latency:
    return LatencyModel.from_dict(plain) if isinstance(plain, dict) else float(plain)
