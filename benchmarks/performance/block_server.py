"""A server that tells how long a frame takes in the best of its stretches, without what other programs take away.

    python -m benchmarks.performance.block_server LANE CLIENTS FRAMES plain|shipped [CORES]

It prints its port, and in the end the smallest mean time of a frame over a stretch, by the clock and of the server's
processor [us]. The server runs all frames in one go, as `ubersim serve` does; the clock is looked at where the loop
looks at it by itself.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import cast

from benchmarks.lockstep import HERE
from ubersim.server.real_time import RealTime

BLOCK = 200
"""Frames of a stretch, at least."""


def best_block(run: Callable[[int], object], frames: int) -> float:
    """Microseconds per frame of the best stretch; `run` takes the frame to go to."""
    best = float("inf")
    for end in range(BLOCK, frames + 1, BLOCK):
        start = time.perf_counter()
        run(end)
        best = min(best, (time.perf_counter() - start) / BLOCK)
    return best * 1e6


class Stretches(RealTime):
    """As fast as it goes, with an eye on two clocks."""

    def __init__(self, step: float) -> None:
        super().__init__(0.0, step)
        self.best = self.best_of_processor = float("inf")
        """Mean time of a frame in the best stretch [s]."""
        self._begun, self._since = 0, (time.perf_counter(), time.process_time())

    def frame_begins(self, count: int = 1) -> None:
        """Frames are counted until they are a stretch."""
        super().frame_begins(count)
        self._begun += count
        if self._begun >= BLOCK:
            now = time.perf_counter(), time.process_time()
            self.best = min(self.best, (now[0] - self._since[0]) / self._begun)
            self.best_of_processor = min(self.best_of_processor, (now[1] - self._since[1]) / self._begun)
            self._begun, self._since = 0, now


def main() -> None:
    """Serves, and tells."""
    from ubersim.server import Server
    from ubersim.server.affinity import cores_of, keep_to
    from ubersim.server.native_lane import Lane
    from ubersim.simulation import Simulation

    lane, clients, frames, materials = sys.argv[1:5]
    simulation = Simulation(materials=HERE / "plain.yaml" if materials == "plain" else None)
    with Server(simulation, port=0, clients=int(clients), lane=cast(Lane, lane)) as server:
        print(server.address[1], flush=True)
        if sys.argv[5:]:
            keep_to(cores_of(sys.argv[5]))
        server.run(BLOCK)  # robots join, and everything is looked up once
        server.real_time = stretches = Stretches(simulation.step_size)
        server.run(int(frames))
    print(1e6 * stretches.best, 1e6 * stretches.best_of_processor, flush=True)


if __name__ == "__main__":
    main()
