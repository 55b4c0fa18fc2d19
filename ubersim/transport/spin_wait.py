"""Waiting for bytes: asleep, or looking for them first, whichever these two have shown to be faster.

In lockstep the answer is often there after some microseconds. If the other side looks for what comes, too, looking is
fastest: a core that went to sleep takes longer than that to wake up, and on a virtual machine ten times longer. If the
other side sleeps, it is often fastest to sleep as well, for then the system puts both on one core, where one wakes the
other in no time. So both ways are tried now and then for some waits, and the faster one is used, for ever longer. Where
it makes no difference, as with `--rate` or a slow controller, sleeping is right: it costs nothing. The native lane of
the server waits by the same rule (physics/kernel/lane_io.c).
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Callable

SPIN = 200e-6
"""For how long to look before sleeping [s]: about what falling asleep and waking up take."""
SETTLING, COUNTING = 16, 48
"""Waits of a trial: before they count, for the system has to get used to it, and those that count."""
HOPELESS = 2.0
"""A trial ends early that takes so many times as long as the other one."""
BETTER = 0.95
"""Looking has to take less than this share of the time that sleeping takes."""
FIRST_PAUSE, LONGEST_PAUSE = 1024, 1 << 16
"""Waits between two trials."""
CORES = len(os.sched_getaffinity(0))
"""How many of them this process may use."""


class LookOrSleep:
    """Which of the two, from one wait to the next; told by nothing but the time from wait to wait."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.looking = True
        """The way that is used now."""
        self._clock = clock
        self._left = SETTLING + COUNTING  # waits of the trial, or if there is none, until the next
        self._trial = True
        self._pause = FIRST_PAUSE // 2
        self._since = 0.0
        self._costs: dict[bool, float] = {}

    def begins_wait(self) -> bool:
        """Whether to look before sleeping, in the wait that begins now."""
        self._left -= 1
        if self._trial:
            self._count()
        elif self._left <= 0:
            self._costs = {}
            self._begin(self.looking)
        return self.looking

    def _begin(self, looking: bool) -> None:
        self.looking, self._trial, self._left = looking, True, SETTLING + COUNTING

    def _count(self) -> None:
        if self._left >= COUNTING:
            self._since = self._clock()
            return
        counted = COUNTING - self._left
        if counted % 8:
            return
        cost = (self._clock() - self._since) / counted
        if self._left <= 0 or cost > HOPELESS * self._costs.get(not self.looking, float("inf")):
            self._end(cost)

    def _end(self, cost: float) -> None:
        self._costs[self.looking] = cost
        if len(self._costs) < 2:
            self._begin(not self.looking)
            return
        self.looking = self._costs[True] < BETTER * self._costs[False]
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self._trial, self._left = False, self._pause


def spinning_recv(connection: socket.socket) -> Callable[[int], bytes]:
    """The connection's `recv`, with all its errors, but quicker to notice what comes."""
    receive, clock = connection.recv, time.perf_counter
    incoming = select.poll()
    incoming.register(connection, select.POLLIN)
    look = incoming.poll
    looks = LookOrSleep().begins_wait

    def look_then_sleep(size: int) -> bytes:
        if looks():
            end = clock() + SPIN
            while clock() < end:
                if look(0):
                    break
        return receive(size)

    return look_then_sleep if CORES > 1 else receive
