#!/usr/bin/env python3
"""What a picture costs: ours, bare moderngl, MuJoCo's renderer and (if installed) PyBullet's, the same scene for all.

usage: camera.py [--rounds N]

Thirty moving solids on a tiled ground, every frame with new poses, the picture read back into memory; "rich" is with
shadows (1024 map) and four samples per pixel (PyBullet has shadows only). Every contestant is a process of its own, and
they take turns within one run, so that a busy machine is busy for all of them. Two bars: ours takes at most 1.3 times
as long as bare moderngl, and MuJoCo at least 1.3 times as long as ours.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import subprocess
import sys

SIZES = ((160, 120), (320, 240), (640, 480))
CONTESTANTS = ("ours", "bare", "mujoco", "pybullet")
FRAMES = {"ours": 10, "bare": 10, "mujoco": 5, "pybullet": 2}
OVER_BARE, UNDER_MUJOCO = 1.3, 1.3


class Contestant:
    """A process that draws when told to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.camera_contestants", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def frame_time(self, width: int, height: int, rich: bool) -> float:
        """Median time of a frame, of a few [ms]."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{width} {height} {int(rich)} {FRAMES[self.name]}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def end(self) -> None:
        """Closes its input, at which it leaves."""
        self._process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=16)
    rounds: int = parser.parse_args().rounds
    wanted = [name for name in CONTESTANTS if name in ("ours", "bare") or importlib.util.find_spec(name)]
    contestants = [Contestant(name) for name in wanted]
    print(f"{'[ms per frame]':22}" + "".join(f"{name:>10}" for name in wanted) + "   ours/bare  mujoco/ours")
    missed = 0
    for rich in (False, True):
        for width, height in SIZES:
            times: dict[str, list[float]] = {name: [] for name in wanted}
            for turn in range(rounds + 1):
                # Another one begins each time: it matters who has just had the machine.
                first = turn % len(contestants)
                for contestant in contestants[first:] + contestants[:first]:
                    times[contestant.name].append(contestant.frame_time(width, height, rich))
            # The first turn compiles and allocates.
            # The lower quartile, because others on the machine only ever add.
            found = {name: statistics.quantiles(values[1:])[0] for name, values in times.items()}
            over = found["ours"] / found["bare"]
            line = f"{width}x{height} {'rich' if rich else 'plain':14}"[:22].ljust(22)
            line += "".join(f"{found[name]:10.2f}" for name in wanted) + f"{over:12.2f}"
            missed += over > OVER_BARE
            if "mujoco" in found:
                ahead = found["mujoco"] / found["ours"]
                line += f"{ahead:13.2f}"
                missed += ahead < UNDER_MUJOCO
            print(line, flush=True)
    for contestant in contestants:
        contestant.end()
    verdict = "all met" if not missed else f"{missed} missed"
    print(f"bars: ours/bare <= {OVER_BARE}, mujoco/ours >= {UNDER_MUJOCO}: {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
