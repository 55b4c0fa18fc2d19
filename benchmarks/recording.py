"""What recording costs: time per frame with and without, bytes per frame, and memory over a million frames.

    python benchmarks/recording.py             # the overhead, which is to stay below 15 %
    python benchmarks/recording.py --million   # a million frames: memory and file size

Processor time of the simulating thread, the least of several runs that alternate, so that a busy machine does not
decide.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

from ubersim.balancer import Balancer
from ubersim.client import connect
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


def in_process(robots: int, frames: int, log: Path | None) -> tuple[float, str]:
    """Processor time per frame [us] and digest of balancing robots in one process."""
    simulation = Simulation()
    crowd = [
        (simulation.spawn(SEGWAY, name=f"S{i}", position=(2.0 * i, 0.0, 0.25)), Balancer()) for i in range(robots)
    ]
    with Recorder(simulation, log) if log else contextlib.nullcontext():
        since = time.thread_time()
        for _ in range(frames // PERIOD):
            for robot, balancer in crowd:
                tilt = robot.read("Tilt")
                assert isinstance(tilt, float)
                speed = balancer.update(tilt)
                robot.command("LMotor", "Vel", speed)
                robot.command("RMotor", "Vel", speed)
            simulation.step(PERIOD)
    return (time.thread_time() - since) / frames * 1e6, simulation.digest()


def served(robots: int, frames: int, log: Path | None) -> tuple[float, str]:
    """The same through a server and sockets; the time is the server's."""
    simulation = Simulation()
    spent = 0.0
    with (Recorder(simulation, log) if log else contextlib.nullcontext()) as recorder:
        server = Server(simulation, port=0, clients=robots)

        def run() -> None:
            nonlocal spent
            since = time.thread_time()
            with server:
                server.run(frames)
            if recorder is not None:
                recorder.close()
            spent = time.thread_time() - since

        def drive(name: str) -> None:
            balancer = Balancer()
            with contextlib.suppress(OSError), connect(SEGWAY, "127.0.0.1", server.address[1], name=name) as robot:
                for frame in robot:
                    if "Tilt" in frame:
                        speed = balancer.update(float(frame["Tilt"]))
                        robot.set("LMotor", "Vel", speed)
                        robot.set("RMotor", "Vel", speed)

        threads = [threading.Thread(target=run)]
        threads += [threading.Thread(target=drive, args=(f"S{i}",)) for i in range(robots)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return spent / frames * 1e6, simulation.digest()


def overhead(folder: Path) -> None:
    """The table."""
    print(f"{'':24}{'plain':>10}{'recorded':>10}{'cost':>8}{'bytes/frame':>13}")
    for way in (in_process, served):
        for robots, frames in ((1, 20_000), (20, 2_000)):
            log = folder / "run.mcap"
            runs = [(way(robots, frames, None), way(robots, frames, log)) for _ in range(5)]
            assert len({digest for pair in runs for _, digest in pair}) == 1, "recording has changed the run"
            plain, recorded = (min(pair[i][0] for pair in runs) for i in (0, 1))
            size = log.stat().st_size / frames
            name = f"{way.__name__.replace('_', ' ')}, {robots} robots"
            print(f"{name:24}{plain:7.1f} us{recorded:7.1f} us{100 * (recorded / plain - 1):7.1f}%{size:13.1f}")


def million(folder: Path, frames: int) -> None:
    """Memory and size while it grows."""
    simulation = Simulation()
    robot, balancer, log = simulation.spawn(SEGWAY), Balancer(), folder / "million.mcap"
    with Recorder(simulation, log):
        for done in range(0, frames, PERIOD):
            tilt = robot.read("Tilt")
            assert isinstance(tilt, float)
            speed = balancer.update(tilt)
            robot.command("LMotor", "Vel", speed)
            robot.command("RMotor", "Vel", speed)
            simulation.step(PERIOD)
            if done % (frames // 10) == 0:
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                print(f"frame {simulation.frame:8}: at most {peak:.1f} MiB so far", flush=True)
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
    sys.exit(main())
