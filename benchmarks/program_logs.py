#!/usr/bin/env python3
"""What `robot.log` costs: where nothing listens, over the wire and in process, and where a log is written.

    python -m benchmarks.program_logs

Nanoseconds of the processor for one call with a number, the least of some rounds. The bar is a microsecond where
nothing listens. Over the wire the server says whether anything does, and calls are free once that has come.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ubersim.client import connect
from ubersim.control import Module
from ubersim.recording import Recorder
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot

CALLS, ROUNDS = 10_000, 50
BAR = 1000.0
"""Where nothing listens [ns]."""


def each(log: Callable[[str, float], None], calls: int = CALLS) -> float:
    """Of one call [ns]."""
    start = time.thread_time_ns()
    for _ in range(calls):
        log("ball", 1.5)
    return (time.thread_time_ns() - start) / calls


def least(log: Callable[[str, float], None]) -> float:
    """In the best of the rounds [ns]."""
    return min(each(log) for _ in range(ROUNDS))


def over_the_wire() -> float:
    """In a program whose server has said that nothing listens."""
    with Server(Simulation(), port=0, clients=1) as server:
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        with connect("segway", port=server.address.port, protocol=2) as robot:
            robot.log("ball", 0.0)
            robot.clock.sleep(0.1)  # the Segway's latency lets frames come that were sent before the server heard of it
            found = least(robot.log)
        server.stop()
        thread.join()
    return found


def in_process() -> float:
    """In a simulation that nobody records."""
    with Simulation() as simulation:
        return least(LocalRobot(simulation, simulation.spawn("segway")).log)


def recorded() -> float:
    """Into a log; frames pass between rounds, so that blocks are written as they are in a run."""
    with tempfile.TemporaryDirectory() as folder, Simulation() as simulation:
        robot = LocalRobot(simulation, simulation.spawn("segway"))
        with Recorder(simulation, Path(folder) / "run.mcap"):
            times = []
            for _ in range(ROUNDS):
                robot.next_frame()
                times.append(each(robot.log, 200))
    return min(times)


def main() -> None:
    """Prints a table."""
    unheard = {"over the wire, nothing listens": over_the_wire(), "in process, nothing listens": in_process()}
    for what, found in unheard.items():
        print(f"{what:34}{found:8.0f} ns    bar {BAR:.0f}: {'kept' if found < BAR else 'missed'}")
    print(f"{'a module of the control kit':34}{each(Module().log):8.0f} ns    kept for the end of the cycle")
    print(f"{'in process, recorded':34}{recorded():8.0f} ns")


if __name__ == "__main__":
    main()
