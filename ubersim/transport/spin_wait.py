"""Waiting for bytes without falling asleep, when they are about to come.

In lockstep the answer is often there after some microseconds; a core that went to sleep takes longer than that to wake
up, and on a virtual machine ten times longer. So one looks again and again for a short while before the kernel is told
to wake one up. When that was in vain, as with `--rate` or a slow controller, the next waits are slept through at once:
seven, then 63, then 511, so that looking in vain costs next to nothing. It takes a core of its own: nobody can answer
on a core on which somebody looks.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Callable

LOOKING = 200e-6
"""For how long to look before sleeping [s]: about what falling asleep and waking up take."""
LONGEST_PAUSE = 1023
"""How many waits in a row are slept through at most before one looks again."""
CORES = len(os.sched_getaffinity(0))
"""How many of them this process may use."""


def spinning_recv(connection: socket.socket) -> Callable[[int], bytes]:
    """The connection's `recv`, with all its errors, but quicker to notice what comes."""
    receive, clock = connection.recv, time.perf_counter
    incoming = select.poll()
    incoming.register(connection, select.POLLIN)
    look = incoming.poll
    pause = asleep = 0

    def look_then_sleep(size: int) -> bytes:
        nonlocal pause, asleep
        if asleep:
            asleep -= 1
            return receive(size)
        end = clock() + LOOKING
        while clock() < end:
            if look(0):
                pause = 0
                return receive(size)
        asleep = pause = min(8 * pause + 7, LONGEST_PAUSE)
        return receive(size)

    return look_then_sleep if CORES > 1 else receive
