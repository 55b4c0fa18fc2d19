"""What recording costs: time per frame with and without, bytes per frame, and memory over a million frames.

    python -m benchmarks.recording             # the overhead, which is to stay below 15 %
    python -m benchmarks.recording --million   # a million frames: memory and file size

Processor time of the simulating thread; plain and recorded runs take turns, and their medians are compared, so that a
busy machine does not decide.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ubersim.control.balancer import Balancer
from ubersim.recording import Recorder
from ubersim.server import Server
from ubersim.simulation import Simulation

SEGWAY = re.sub(
    r"<CameraSensor.*?</CameraSensor>",
    "",
    (Path(__file__).resolve().parent.parent / "robots" / "segway.xml").read_text(),
    flags=re.DOTALL,
)
"""Without its camera, whose pictures would cost more than all the rest."""
PERIOD = 10
"""Frames between two commands."""
BLOCK = 1000
"""Frames of a block of the log."""


class Crowd:
    """Balancing robots in one process."""

    def __init__(self, robots: int) -> None:
        self.simulation = Simulation()
        places = [(2.0 * i, 0.0, 0.25) for i in range(robots)]
        self._robots = [
            (self.simulation.spawn(SEGWAY, name=f"S{i}", position=place), Balancer()) for i, place in enumerate(places)
        ]

    def run(self, frames: int) -> float:
        """Processor time [s]."""
        since = time.thread_time()
        for _ in range(frames // PERIOD):
            for robot, balancer in self._robots:
                tilt = robot.read("Tilt")
                assert isinstance(tilt, float)
                speed = balancer.update(tilt)
                robot.command("LMotor", "Vel", speed)
                robot.command("RMotor", "Vel", speed)
            self.simulation.step(PERIOD)
        return time.thread_time() - since


def in_process(robots: int, frames: int, log: Path) -> tuple[list[float], list[float]]:
    """Times per frame [us] of stretches of one block each, plain and recorded, in turns."""
    plain, recorded = Crowd(robots), Crowd(robots)
    times: tuple[list[float], list[float]] = [], []
    with Recorder(recorded.simulation, log):
        for _ in range(frames // BLOCK):
            for crowd, spent in zip((plain, recorded), times, strict=True):
                spent.append(crowd.run(BLOCK) / BLOCK * 1e6)
    assert plain.simulation.digest() == recorded.simulation.digest(), "recording has changed the run"
    return times


CLIENTS = """
import sys, threading
from ubersim.control.balancer import Balancer
from ubersim.client import connect

def drive(name):
    balancer = Balancer()
    with connect(sys.argv[1], port=int(sys.argv[2]), name=name) as robot:
        for frame in robot:
            if "Tilt" in frame:
                speed = balancer.update(float(frame["Tilt"]))
                robot.set("LMotor", "Vel", speed)
                robot.set("RMotor", "Vel", speed)

for number in range(int(sys.argv[3])):
    threading.Thread(target=drive, args=(f"S{number}",)).start()
"""


def served(robots: int, frames: int, log: Path) -> tuple[list[float], list[float]]:
    """The same through a server and sockets, with the clients in another process; the server's time, of whole runs."""
    times: tuple[list[float], list[float]] = [], []
    for _ in range(7):
        for path, spent in zip((None, log), times, strict=True):
            spent.append(serve(robots, frames // 5, path))
    return times


def serve(robots: int, frames: int, log: Path | None) -> float:
    """One run [us per frame]."""
    simulation = Simulation()
    with Server(simulation, port=0, clients=robots) as server, contextlib.ExitStack() as stack:
        if log:
            stack.enter_context(Recorder(simulation, log))
        program = [sys.executable, "-c", CLIENTS, SEGWAY, str(server.address[1]), str(robots)]
        clients = subprocess.Popen(program, stderr=subprocess.DEVNULL)
        since = time.thread_time()
        server.run(frames)
        stack.close()
        spent = time.thread_time() - since
    clients.wait()
    return spent / frames * 1e6


def overhead(folder: Path) -> None:
    """The table."""
    print(f"{'':24}{'plain':>10}{'recorded':>10}{'cost':>8}")
    for way in (in_process, served):
        for robots, frames in ((1, 30_000), (20, 12_000)):
            plain, recorded = map(statistics.median, way(robots, frames, folder / "run.mcap"))
            name = f"{way.__name__.replace('_', ' ')}, {robots} robots"
            print(f"{name:24}{plain:7.1f} us{recorded:7.1f} us{100 * (recorded / plain - 1):7.1f}%", flush=True)


def million(folder: Path, frames: int) -> None:
    """Memory and size while it grows."""
    crowd, log = Crowd(1), folder / "million.mcap"
    with Recorder(crowd.simulation, log):
        for _ in range(10):
            crowd.run(frames // 10)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"frame {crowd.simulation.frame:8}: at most {peak:.1f} MiB so far", flush=True)
    size = log.stat().st_size
    print(f"{frames} frames: {size / 2**20:.1f} MiB, {size / frames:.1f} bytes per frame")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--million", action="store_true", help="record a million frames instead")
    parser.add_argument("--keep", type=Path, help="folder for the logs; default: a temporary one")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        million(folder, 1_000_000) if options.million else overhead(folder)


if __name__ == "__main__":
    main()
