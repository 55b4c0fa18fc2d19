"""What a server keeps of robots that have gone: the same strangers come again and again over the wire.

    python -m tests.robustness.memory --robots 400 --rounds 10

The first round loads what robots need only now and then: OpenGL with its compiler, codecs for pictures. After it every
round brings nothing new, so whatever grows from then on is kept for somebody who has gone.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tests.robustness.chance import numbered
from tests.robustness.served import SERVED, run


@dataclass(frozen=True)
class Held:
    """What a process holds [bytes]."""

    own: int
    """Memory that is nobody else's: heaps, stacks, OpenGL's."""
    mapped: int
    """Of files: programs, libraries."""

    def __str__(self) -> str:
        return f"{self.own / 1e6:.1f} MB of its own, {self.mapped / 1e6:.1f} MB of files"

    @staticmethod
    def of(process: int) -> Held:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
        sizes = {line.partition(":")[0]: 1024 * int(line.split()[1]) for line in lines}
        return Held(sizes["Anonymous"], sizes["Rss"] - sizes["Anonymous"])


def rounds(robots: int, count: int, seed: int) -> list[Held]:
    """What the server holds after each round."""
    held = []
    for _ in range(count):
        for number in range(robots):
            run(numbered(seed, number))
        held.append(Held.of(SERVED.machine.process.pid))
        print(f"{len(held) * robots} robots: {held[-1]}", flush=True)
    return held


def main() -> None:
    """Prints what is held after each round, and what a robot costs that has gone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, default=400, help="in each round")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    held = rounds(given.robots, given.rounds, given.seed)
    half = given.rounds // 2
    kept = (held[-1].own - held[half].own) / (given.robots * (given.rounds - 1 - half))
    print(f"in the second half of the rounds: {kept:.0f} bytes for each robot that has gone")


if __name__ == "__main__":
    main()
