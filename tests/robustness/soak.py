"""A long run with clients that come, go, die and talk nonsense all the time: `make soak`.

Memory, file descriptors, threads and throughput have to stay flat, and what a good client is told has to be what it is
told when it is alone. `python -m tests.robustness.soak --frames 1000000 --interruptions 200 --seed 7`; either may be 0.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.robustness import test_faults
from tests.robustness.good_client import GoodClient
from tests.robustness.interruptions import interrupt_recording
from tests.robustness.machine import Machine
from ubersim.client.supervisor import supervise
from ubersim.errors import UberSimError

TROUBLES: tuple[Callable[[int], None], ...] = (
    test_faults.cut,
    test_faults.garbage,
    test_faults.slow_reader,
    test_faults.flood_of_connections,
    test_faults.flood_of_requests,
    test_faults.explosion,
)
SAMPLES = 40
LEAST = 8
"""Of troubles that are over, and of samples."""


@dataclass(frozen=True)
class Sample:
    """What the server holds at some moment."""

    frame: int
    seconds: float
    """Of processor time."""
    memory: int
    """Resident [bytes]."""
    descriptors: int
    threads: int

    def __str__(self) -> str:
        held = f"{self.memory / 1e6:.1f} MB, {self.descriptors} descriptors, {self.threads} threads"
        return f"frame {self.frame}: {held}, {self.seconds:.1f} s of processor time"

    @staticmethod
    def of(process: int, frame: int) -> Sample:
        place = Path(f"/proc/{process}")
        resident = int((place / "statm").read_text().split()[1]) * 4096
        descriptors, threads = (len(list((place / what).iterdir())) for what in ("fd", "task"))
        ticks = (place / "stat").read_text().rpartition(")")[2].split()[11:13]
        return Sample(frame, sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), resident, descriptors, threads)


def visit(port: int, random: Random, name: str) -> None:
    """A client that does its work for a while, and leaves in one way or another."""
    client = RawClient(port, cart(name, x=50.0 + 5 * random.random(), latency=random.choice(("0", "3", "40"))))
    client.welcome()
    test_faults.frames(client, random.randrange(200))
    random.choice((client.socket.close, lambda: test_faults.reset(client.socket)))()


def supervise_for_a_while(port: int, name: str) -> None:
    """Brings a robot, looks at it, and takes it out again."""
    with supervise(port=port) as world:
        world.spawn(cart(name), position=(70.0, 0.0, 0.3))
        world.push(name, (0.0, 0.0, 20.0), 0.01)
        world.watch(every=1)
        world.truth(contacts=True)
        world.remove(name)


def trouble(port: int, seed: int, done: threading.Event, over: list[str]) -> None:
    """One after the other, by chance, until it is done; `over` has those that are over."""
    random = Random(seed)
    while not done.is_set():
        name = f"Visitor{seed}-{len(over)}"
        # Whatever comes of it: names may be taken, and the server may be at its end.
        with contextlib.suppress(OSError, UberSimError, AssertionError, StopIteration):
            match random.randrange(4):
                case 0 | 1:
                    visit(port, random, name)
                case 2:
                    supervise_for_a_while(port, name)
                case _:
                    random.choice(TROUBLES)(port)
        over.append(name)


def soak(frames: int, seed: int, show: Callable[[Sample], None] = lambda sample: None) -> tuple[list[Sample], int]:
    """Runs so many frames, and more until there was enough trouble; what the server held, and how much trouble."""
    machine, done, over = Machine("--clients", 1, "--timeout", 60), threading.Event(), list[str]()
    good = GoodClient(machine.port)
    crowd = [
        threading.Thread(target=trouble, args=(machine.port, number, done, over), daemon=True)
        for number in (seed, seed + 1)
    ]
    samples = [Sample.of(machine.process.pid, 0)]
    for thread in crowd:
        thread.start()
    while (samples[-1].frame < frames or len(over) < LEAST or len(samples) < LEAST) and good.is_alive():
        time.sleep(0.005)
        if good.frames - samples[-1].frame >= frames // SAMPLES:
            samples.append(Sample.of(machine.process.pid, good.frames))
            show(samples[-1])
    done.set()
    for thread in crowd:
        thread.join(300)
    calm = _calm(machine.process.pid, samples[0])
    code, said = machine.stop()
    assert code == 0 and "Traceback" not in said, said[-2000:]
    count, told = good.result()
    assert (count, told) == test_faults.undisturbed(count)
    assert calm, "descriptors or threads are left"
    return samples, len(over)


def _calm(process: int, first: Sample) -> bool:
    """Whether, soon after all have gone, it holds as little as in the beginning, but for what serves supervisors."""
    for _ in range(600):
        now = Sample.of(process, 0)
        if now.descriptors <= first.descriptors + 2 and now.threads <= first.threads + 1:
            return True
        time.sleep(0.1)
    return False


def check_flat(samples: list[Sample], *, memory: int) -> None:
    """After a quarter of the run, which makes caches full, memory does not grow."""
    quarter = len(samples) // 4
    before, after = (
        min(sample.memory for sample in part) for part in (samples[quarter : 2 * quarter], samples[-quarter:])
    )
    assert after - before <= memory, f"memory grows from {before} to {after}"


def speed(samples: list[Sample]) -> float:
    """Frames per second of the server's processor time: the machine may be busy with other work."""
    return (samples[-1].frame - samples[0].frame) / (samples[-1].seconds - samples[0].seconds)


def main() -> None:
    """Prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--interruptions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    if given.frames:
        soak_at_length(given.frames, given.seed)
    interrupt(given.interruptions, given.seed)


def soak_at_length(frames: int, seed: int) -> None:
    """All that has to stay flat is shown, and is so."""
    samples, troubles = soak(frames, seed, show=lambda sample: print(sample, flush=True))
    half = len(samples) // 2
    print(f"{troubles} troubles; {speed(samples[:half]):.0f} frames per second, then {speed(samples[half:]):.0f}")
    check_flat(samples, memory=20_000_000)
    assert speed(samples[half:]) > 0.6 * speed(samples[:half]), "it has become slower"
    print("the survivor was told what it is told alone")


def interrupt(count: int, seed: int) -> None:
    """So many recordings."""
    random = Random(seed)
    for number in range(count):
        with tempfile.TemporaryDirectory() as folder:
            interrupt_recording(Path(folder), random)
        if (number + 1) % 20 == 0:
            print(f"{number + 1} interrupted recordings, all complete to the last frame", flush=True)


if __name__ == "__main__":
    main()
