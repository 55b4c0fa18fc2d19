"""PyBullet as a peer: one step of the Segway in process, and through its shared-memory server.

The server's thread never sleeps: on a core of its own it answers within a microsecond, without one it may take
milliseconds. So by the clock its figure is the best of many short stretches, and its processor time would say nothing.
A ball in free fall takes 1 to 2 us there, the Segway what it takes in process and a little more.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pybullet

from benchmarks.performance.block_server import best_block
from benchmarks.scenes.crowds import segways
from benchmarks.scenes.in_bullet import Bullet

SERVER = "import pybullet, time; pybullet.connect(pybullet.SHARED_MEMORY_SERVER); print(flush=True); time.sleep(3600)"


def direct(steps: int) -> float:
    """Microseconds of the processor per step."""
    engine = Bullet(segways(1))
    start = time.process_time()
    engine.run(steps)
    return (time.process_time() - start) / steps * 1e6


def shared_memory(steps: int, *, look: bool) -> float:
    """Microseconds by the clock per step in another process; `look`: and what it takes to ask where the robot is."""
    with _server():
        engine = Bullet(segways(1), pybullet.SHARED_MEMORY)
        body, _ = engine.links[0]

        def run(end: int) -> None:
            for _ in range(end - taken[-1]):
                engine.run()
                if look:
                    pybullet.getBasePositionAndOrientation(body, physicsClientId=engine.client)
            taken.append(end)

        taken = [0]
        best = best_block(run, steps)
        found = engine.positions
        pybullet.disconnect(engine.client)
    alone = Bullet(segways(1))
    alone.run(taken[-1])
    if not np.array_equal(found, alone.positions):
        raise SystemExit("PyBullet's server did not take the steps that it was asked for")
    return best


@contextmanager
def _server() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        while server.stdout.readline().strip():  # it says a word about its threads first
            pass
        try:
            yield
        finally:
            server.kill()
