"""PyBullet as a peer: one step of the Segway in process, and through its shared-memory server."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.scenes.crowds import segways
from benchmarks.scenes.in_bullet import Bullet

SERVER = "import pybullet, time; pybullet.connect(pybullet.SHARED_MEMORY_SERVER); time.sleep(3600)"


def direct(steps: int) -> float:
    """Microseconds per step."""
    engine = Bullet(segways(1))
    start = time.process_time()
    for _ in range(steps):
        engine.run()
    return (time.process_time() - start) / steps * 1e6


def shared_memory(steps: int) -> float:
    """Microseconds per step of an empty world in another process."""
    import pybullet

    with subprocess.Popen([sys.executable, "-c", SERVER]) as server:
        time.sleep(1.0)
        client = pybullet.connect(pybullet.SHARED_MEMORY)
        start = time.perf_counter()
        for _ in range(steps):
            pybullet.stepSimulation(physicsClientId=client)
        seconds = time.perf_counter() - start
        pybullet.disconnect(client)
        server.kill()
    return seconds / steps * 1e6
