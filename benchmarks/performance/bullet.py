"""PyBullet as a peer: one step of the Segway in process, and through its shared-memory server."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.scenes.crowds import segways
from benchmarks.scenes.in_bullet import Bullet

SERVER = "import pybullet, time; pybullet.connect(pybullet.SHARED_MEMORY_SERVER); time.sleep(3600)"
HEIGHT = 1e4


def direct(steps: int) -> float:
    """Microseconds per step."""
    engine = Bullet(segways(1))
    start = time.process_time()
    for _ in range(steps):
        engine.run()
    return (time.process_time() - start) / steps * 1e6


def _drop_ball(client: int) -> int:
    """What shows whether steps are taken."""
    import pybullet

    pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
    shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1, physicsClientId=client)
    return int(pybullet.createMultiBody(1.0, shape, basePosition=(0, 0, HEIGHT), physicsClientId=client))


def shared_memory(steps: int) -> float:
    """Microseconds per step of a ball that falls, in another process."""
    import pybullet

    with subprocess.Popen([sys.executable, "-c", SERVER]) as server:
        time.sleep(1.0)
        client = pybullet.connect(pybullet.SHARED_MEMORY)
        ball = _drop_ball(client)
        start = time.perf_counter()
        for _ in range(steps):
            pybullet.stepSimulation(physicsClientId=client)
        seconds = time.perf_counter() - start
        (_, _, height), _ = pybullet.getBasePositionAndOrientation(ball, physicsClientId=client)
        pybullet.disconnect(client)
        server.kill()
    if height == HEIGHT:
        raise SystemExit("PyBullet's server took no step")
    return seconds / steps * 1e6
