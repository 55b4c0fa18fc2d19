"""Figure 4 of the Middle-size paper, repeated: how fast the simulation goes, and how well that can be predicted.

    python examples/simulation_speed.py --out .

A program in another process than the server notes when each frame comes. The speed of a single step is erratic,
averages over 5, 10, 20 and 50 steps are less so. With them it predicts how long intervals of simulated time will take,
as `robot.clock` does, and looks how long they did take. The error is in parts of the interval. It is that of the
machine as well: where others compute, too, frames come when there is a core for them. So there are several rounds,
and the best one of each average is shown, beside the mean of all.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from serving import serving

import ubersim
from ubersim.plotting import new_figure, save
from ubersim.timing.speed import SpeedEstimate

STEP = 0.002
WINDOWS = (5, 10, 20, 50, 200)
"""Steps that are averaged over: the paper's four, and that of `robot.clock`."""
INTERVALS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Of simulated time [s]."""
COLORS = ("tab:cyan", "tab:orange", "tab:green", "tab:blue", "black")

Times = NDArray[np.float64]


def measured(frames: int, rate: float) -> Times:
    """When each frame came, by the clock on the wall [s]; frame k is the simulated time k * STEP."""
    options = ("--world", "room", "--step", str(STEP), "--frames", str(frames), "--clients", "1", "--rate", str(rate))
    times: list[float] = []
    with serving(*options) as port, ubersim.connect("pioneer", port=port) as robot:
        for _ in robot:
            times.append(perf_counter())
            if len(times) % 500 == 1:  # it drives about, so that there is something to compute
                robot.set("LMotor", "Speed", -3.0 if len(times) // 500 % 2 else 6.0)
                robot.set("RMotor", "Speed", 6.0)
    return np.array(times)


def errors(walls: Times, window: int) -> list[float]:
    """How far predictions of each interval are off on average, in parts of the interval."""
    estimate, overall = SpeedEstimate(window), STEP * (len(walls) - 1) / (walls[-1] - walls[0])
    found: list[list[float]] = [[] for _ in INTERVALS]
    for frame, wall in enumerate(walls):
        estimate.update(frame * STEP, float(wall))
        for interval, off in zip(INTERVALS, found, strict=True):
            if max(WINDOWS) <= frame < len(walls) - round(interval / STEP):
                off.append(abs(estimate.duration(interval) - (walls[frame + round(interval / STEP)] - wall)))
    return [float(np.mean(off) / (interval / overall)) for interval, off in zip(INTERVALS, found, strict=True)]


def averages(walls: Times, window: int) -> Times:
    """The estimated speed at every frame."""
    estimate = SpeedEstimate(window)
    speeds = []
    for frame, wall in enumerate(walls):
        estimate.update(frame * STEP, float(wall))
        speeds.append(estimate.speed)
    return np.array(speeds)


def plot(walls: Times, table: NDArray[np.float64], picture: Path) -> None:
    """Above as in the paper: speed over frames; below the errors of predictions."""
    figure = new_figure(9.0, 7.5)
    above, below = figure.subplots(2, 1)
    shown = slice(200, 500)
    frames = np.arange(len(walls))[shown]
    single = STEP / np.maximum(np.diff(walls, prepend=walls[0] - STEP), 1e-9)
    above.plot(frames, single[shown], color="tab:red", linewidth=0.5, alpha=0.6, label="one step")
    for window, color in zip(WINDOWS, COLORS, strict=True):
        above.plot(frames, averages(walls, window)[shown], color=color, linewidth=1.2, label=f"average over {window}")
    above.set(xlabel="frame", ylabel="simulated / real time", ylim=(0.0, 3.0))
    above.legend(ncols=3, fontsize="small")
    for window, color, row in zip(WINDOWS, COLORS, table, strict=True):
        milliseconds = [1000 * interval for interval in INTERVALS]
        below.plot(milliseconds, 100 * row, color=color, marker="o", label=f"average over {window}")
    below.axhline(2.0, color="grey", linestyle="--", linewidth=0.8)
    below.set(xscale="log", yscale="log", xlabel="interval [ms]", ylabel="prediction error [% of the interval]")
    below.legend(fontsize="small")
    save(figure, picture)


def main() -> None:
    """Measures, prints and plots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--frames", type=int, default=700, help="of each round")
    parser.add_argument("--rate", type=float, default=1.0, help="times real time; 0: as fast as it goes")
    parser.add_argument("--out", type=Path, default=Path())
    given = parser.parse_args()
    rounds = [measured(given.frames, given.rate) for _ in range(given.rounds)]
    off = np.array([[errors(walls, window) for window in WINDOWS] for walls in rounds])
    best = off.min(axis=0)
    print("prediction error [% of the interval], best round (mean of all rounds)")
    print("average over" + "".join(f"{1000 * interval:>16g} ms" for interval in INTERVALS))
    for window, row, mean in zip(WINDOWS, best, off.mean(axis=0), strict=True):
        print(f"{window:12d}" + "".join(f"{100 * a:10.2f} ({100 * b:6.2f})" for a, b in zip(row, mean, strict=True)))
    given.out.mkdir(parents=True, exist_ok=True)
    picture = given.out / "simulation_speed.png"
    plot(rounds[int(off[:, -1].sum(axis=1).argmin())], best, picture)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main()
