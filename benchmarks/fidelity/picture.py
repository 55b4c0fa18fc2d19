"""docs/images/fidelity.png: every error as a share of its bar, at a glance."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib

from benchmarks.fidelity.page import all_quantities, figures
from benchmarks.fidelity.results import Results
from benchmarks.fidelity.verdict import NAMES

LEAST, MOST = 1e-4, 1e4
"""What is better or worse than this is drawn there."""
MARKS = {"ubersim": ("o", "#d62728", 46), "mujoco": ("s", "#1f77b4", 26), "bullet": ("^", "#7f7f7f", 30)}


def draw(results: Results, path: Path) -> None:
    """One row per quantity that has a bar, ÜberSim on top of the others."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [(task, place, quantity) for task, place, quantity in all_quantities() if quantity.bar is not None]
    figure, axes = plt.subplots(figsize=(10, 0.19 * len(rows) + 1.2), layout="constrained")
    axes.axvspan(LEAST / 2, 1.0, color="#e8f5e9", zorder=0)
    for engine in reversed(MARKS):
        mark, colour, size = MARKS[engine]
        points = []
        for height, (task, place, quantity) in enumerate(rows):
            found = figures(task, place, results)[engine]
            if isinstance(found, float | int) and quantity.bar is not None:
                share = quantity.error(found) / quantity.bar
                points.append((min(max(share, LEAST), MOST) if math.isfinite(share) else MOST, height))
        shares, heights = zip(*points, strict=True)
        axes.scatter(shares, heights, marker=mark, color=colour, s=size, label=NAMES[engine], zorder=3)
    axes.set_yticks(range(len(rows)), [f"{task.title}: {quantity.what}" for task, _, quantity in rows], fontsize=7)
    axes.set_xscale("log")
    axes.set_xlim(LEAST / 2, MOST * 2)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("error as a share of its bar: left of 1 (green) the bar is kept")
    axes.xaxis.set_label_position("top")
    axes.xaxis.tick_top()
    axes.grid(axis="both", color="#dddddd", linewidth=0.6)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="lower right", fontsize=8)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
