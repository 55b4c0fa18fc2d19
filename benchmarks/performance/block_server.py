"""A server that tells how long a frame takes in the best of its stretches, without what other programs take away.

    python -m benchmarks.performance.block_server LANE CLIENTS FRAMES plain|shipped [CORES]

It prints its port, and in the end the smallest mean time of a frame over a stretch [us].
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import cast

from benchmarks.lockstep import HERE

BLOCK = 200
"""Frames of a stretch."""


def best_block(run: Callable[[int], object], frames: int) -> float:
    """Microseconds per frame of the best stretch; `run` takes the frame to go to."""
    best = float("inf")
    for end in range(BLOCK, frames + 1, BLOCK):
        start = time.perf_counter()
        run(end)
        best = min(best, (time.perf_counter() - start) / BLOCK)
    return best * 1e6


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
        best = best_block(lambda end: server.run(BLOCK + end), int(frames) - BLOCK)
    print(best, flush=True)


if __name__ == "__main__":
    main()
