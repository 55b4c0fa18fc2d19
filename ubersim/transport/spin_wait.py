"""Waiting for bytes without falling asleep, when they are about to come.

In lockstep the answer is often there after some microseconds; a core that went to sleep takes longer than that to wake
up, and on a virtual machine ten times longer. So the socket is polled again and again for a short while before the
kernel is told to wait. When that was in vain, as with `--rate` or a slow controller, the next waits sleep at once:
seven, then 63, then 511, so that spinning in vain costs next to nothing. It takes a core of its own: a process that
shares the core cannot answer while this one spins.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Callable

SPIN = 200e-6
"""For how long to poll before sleeping [s]: about what falling asleep and waking up take."""
LONGEST_PAUSE = 1023
"""How many waits in a row sleep at once, at most, before one spins again."""
CORES = len(os.sched_getaffinity(0))
"""How many of them this process may use."""


def spinning_recv(connection: socket.socket) -> Callable[[int], bytes]:
    """The connection's `recv`, with all its errors, but quicker to notice what comes."""
    receive, clock = connection.recv, time.perf_counter
    incoming = select.poll()
    incoming.register(connection, select.POLLIN)
    look = incoming.poll
    pause = asleep = 0

    def spin_then_sleep(size: int) -> bytes:
        nonlocal pause, asleep
        if asleep:
            asleep -= 1
            return receive(size)
        end = clock() + SPIN
        while clock() < end:
            if look(0):
                pause = 0
                return receive(size)
        asleep = pause = min(8 * pause + 7, LONGEST_PAUSE)
        return receive(size)

    return spin_then_sleep if CORES > 1 else receive
