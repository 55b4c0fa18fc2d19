#!/usr/bin/env python3
"""Latency and gain of the Segway's PD loop: where it stands in the simulator, and where the linear model says so.

    python examples/latency_map.py              # the plan latency_study.yaml, and the map out/latency_map.png

The plan is ten lines; `ubersim sweep` runs it as well. This script adds the boundary that latency_study.py derives: on
its left, all that moves in the sampled linear loop dies away. Rolling friction, the inclinometer's steps and the limit
of the torque are not in the model, and cost the simulated robot a little of its margin.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from latency_study import ROBOT, Model  # beside this file

import ubersim
from ubersim.description import default_materials
from ubersim.sweeps import load_plan, sweep
from ubersim.sweeps.executors import workplace
from ubersim.sweeps.parameters import Listed
from ubersim.sweeps.results import Results

PLAN = Path(__file__).with_suffix("").with_name("latency_study.yaml")
LARGEST = 20.0
"""Swings that are shown as such; larger ones are no different [degrees]."""


def boundary(gains: np.ndarray) -> list[float]:
    """The smallest latency with which the linear loop does not stand any more, for each gain [ms]."""
    model = Model.of(ubersim.load_robot(ROBOT, materials=default_materials()))
    latencies = np.arange(0.0, 0.2, 0.0005)
    return [1000 * next((late for late in latencies if not replace(model, kp=kp).stands(late)), np.nan) for kp in gains]


def plot(results: Results, path: Path) -> float:
    """The map; returns in which part of its cells simulator and model agree about standing."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5.5), layout="constrained")
    place = figure.subplots()
    values, swings, _ = results.means("swing", "latency", "kp")
    x, y = np.unique(values[:, 0]), np.unique(values[:, 1])
    swings = np.where(results.means("fell", "latency", "kp")[1] > 0, LARGEST, np.minimum(swings, LARGEST))
    cells = swings.reshape(len(x), len(y)).T
    drawn = place.pcolormesh(x, y, cells, shading="nearest", cmap="viridis")
    fine = np.linspace(y[0], y[-1], 100)
    place.plot(boundary(fine), fine, color="tab:red", linewidth=2.0, label="linear model: stable on the left")
    place.set(xlabel="latency [ms]", ylabel="KP [1/s²]", xlim=(x[0] - 1, x[-1] + 1), ylim=(y[0] - 5, y[-1] + 5))
    place.set_title("Swing of the tilt in the last of 6 s; what fell counts as most")
    place.legend(loc="upper right")
    figure.colorbar(drawn, label="swing [°]", extend="max")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    stands = cells < 2.0
    return float(np.mean([stands[row] == (x < limit) for row, limit in enumerate(boundary(y))]))


def main() -> None:
    """Runs the plan, draws the map."""
    parser = argparse.ArgumentParser(description="Latency and gain of the Segway's PD loop.")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for rows and map")
    parser.add_argument("--on", default="local", help="local, local=N or dask://HOST:PORT")
    parser.add_argument("--coarse", action="store_true", help="nine runs only")
    options = parser.parse_args()
    plan = load_plan(PLAN)
    if options.coarse:
        plan = replace(plan, parameters={"latency": Listed((0.0, 40.0, 120.0)), "kp": Listed((100.0, 200.0, 300.0))})
    with workplace(options.on) as where:
        sweep(plan, options.out, where, resume=True)
    agree = plot(Results.of(options.out / "runs.csv", plan), options.out / "latency_map.png")
    print(f"In {agree:.1%} of the cells simulator and linear model agree whether it stands.")
    print(f"Map: {options.out / 'latency_map.png'}")


if __name__ == "__main__":
    main()
