#!/usr/bin/env python3
"""What many short runs cost beside the simulation itself, and whether they survive being killed.

    python benchmarks/sweeps.py                  # some hundred runs of the Segway, 2 s each
    python benchmarks/sweeps.py --runs 10000     # all of it, which takes a while

First the same runs on one process and on two, in turns: throughput, and what a run costs beside its own simulation.
Then a sweep that is killed twice, without a chance to clean up, and resumed: are the rows complete, does memory stay
flat, and do a hundredth of them come out the same again?
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ubersim.sweeps import load_plan, sweep
from ubersim.sweeps.executors import workplace

SHARE = 200
"""Runs of one turn."""
TURNS = 7
BAR = 1.8
"""Two processes against one."""
EARLY = 30
"""Rows after which a sweep has imported what it needs."""


def write_plan(folder: Path, runs: int) -> Path:
    """Segways with all sorts of latencies and gains."""
    drawn = {"latency": {"latin": [0, 60]}, "kp": {"latin": [100, 300]}}
    plan = {"robot": "robots/segway.xml", "program": "ubersim.control.balancing:balance", "frames": 2000}
    path = folder / f"{runs}.yaml"
    path.write_text(json.dumps(plan | {"parameters": drawn, "samples": runs, "metrics": ["swing", "fell"]}))
    return path


def rows(folder: Path) -> list[dict[str, str]]:
    """Those that have arrived."""
    path = folder / "runs.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row.get("version")]


def turn(plan: Path, out: Path, processes: int) -> tuple[float, float, float, list[str]]:
    """Per run: wall time, the part of it that is simulation, processor time of the sweep itself; the digests."""
    with workplace(f"local={processes}") as place:
        sweep(load_plan(write_plan(plan.parent, 2 * processes)), out / "warm", place)  # processes are there now
        began, worked = time.perf_counter(), time.process_time()
        sweep(load_plan(plan), out, place)
        wall, worked = time.perf_counter() - began, time.process_time() - worked
    found = sorted(rows(out), key=lambda row: int(row["run"]))
    simulated = statistics.fmean(float(row["wall"]) for row in found)
    return wall / len(found), simulated, worked / len(found), [row["digest"] for row in found]


def compare(folder: Path) -> None:
    """One process and two, in turns."""
    plan = write_plan(folder, SHARE)
    ratios, besides, digests = [], [], set()
    for number in range(TURNS):
        one, simulated, worked, first = turn(plan, folder / f"one-{number}", 1)
        two, _, _, second = turn(plan, folder / f"two-{number}", 2)
        ratios.append(one / two)
        besides.append(1000 * (one - simulated))
        digests |= {tuple(first), tuple(second)}
        print(f"one process {1 / one:6.2f} runs/s, two {1 / two:6.2f}: {one / two:.2f} x", end="")
        print(f"; a run {1000 * simulated:.1f} ms and {1000 * (one - simulated):.2f} ms beside it", end="")
        print(f", of which {1000 * worked:.2f} ms are work", flush=True)
    middle = statistics.median(ratios)
    print(
        f"throughput of two processes against one: {min(ratios):.2f} to {max(ratios):.2f} x, {middle:.2f} in the middle"
    )
    print(f"bar {BAR}: {'kept' if middle >= BAR else 'missed'}")
    print(f"beside the simulation, per run: {min(besides):.2f} to {max(besides):.2f} ms")
    print(f"digests of all {SHARE} runs {'the same' if len(digests) == 1 else 'NOT the same'} in all {2 * TURNS} turns")


def memory(process: int) -> float:
    """What a process takes [MiB]."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def killed_twice(folder: Path, runs: int) -> None:
    """A sweep of the command line, killed after a third and after two thirds."""
    plan, out = write_plan(folder, runs), folder / "killed"
    began = time.perf_counter()
    for share in (1 / 3, 2 / 3, 1.0):
        words = [sys.executable, "-m", "ubersim.cli", "sweep", str(plan), "-o", str(out), "--on", "local=2", "--resume"]
        with subprocess.Popen([*words, *(["--verify", "1%"] if share == 1.0 else [])]) as process:
            begin = seen = len(rows(out))
            early = now = 0.0
            while process.poll() is None and (share == 1.0 or seen < share * runs):
                time.sleep(1.0)
                seen = len(rows(out))
                try:
                    now = memory(process.pid)
                except (OSError, StopIteration):
                    break
                early = early or (now if seen >= begin + EARLY else 0.0)
            if share < 1.0:
                os.kill(process.pid, signal.SIGKILL)
        print(
            f"{seen} rows; the sweep itself took {early:.0f} MiB after {EARLY} of them, {now:.0f} MiB in the end",
            flush=True,
        )
    found = rows(out)
    complete = sorted(int(row["run"]) for row in found) == list(range(runs))
    failed = sum(bool(row["reason"]) for row in found)
    print(f"{len(found)} rows in {time.perf_counter() - began:.0f} s, {failed} failed", end=", ")
    print("each run once" if complete else "NOT each run once")


def main() -> None:
    """Measures, and tells."""
    parser = argparse.ArgumentParser(description="What many short runs cost.")
    parser.add_argument("--runs", type=int, default=150, help="of the sweep that is killed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder))
        killed_twice(Path(folder), options.runs)


if __name__ == "__main__":
    main()
