"""The plots of docs/performance.md."""

from __future__ import annotations

from pathlib import Path

import matplotlib

from benchmarks.performance.measuring import Measured
from benchmarks.performance.parts import measured, parts
from benchmarks.performance.verdicts import bars

GOOD, BAD, CALM, WARM, PALE = "#2e7d32", "#c62828", "#1f77b4", "#ff9800", "#b0bec5"
NAMES = {"physics": "physics alone", "wire": "sockets alone", "rest": "the server's own, and waiting"}


def _draw_parts(found: Measured, file: Path) -> None:
    """Each frame as a whole, whatever it takes: what it takes stands beside it."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 3.2), layout="constrained")
    frames = parts(found)
    places, left = range(len(frames)), [0.0] * len(frames)
    for label, color in (("physics", CALM), ("wire", WARM), ("rest", PALE)):
        shares = [100 * getattr(frame, label) / (frame.physics + frame.wire + frame.rest) for frame in frames]
        axes.barh(places, shares, left=left, color=color, height=0.6, label=NAMES[label])
        left = [done + share for done, share in zip(left, shares, strict=True)]
    axes.set_yticks(places, [f"{frame.what}: {frame.total:.1f} µs" for frame in frames])
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the frame; each part measured alone")
    axes.invert_yaxis()
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(file)


def draw(found: Measured, folder: Path) -> None:
    """The bars, a frame by part, growth, peers."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    if measured(found):
        _draw_parts(found, folder / "performance-parts.svg")
    figure, axes = plt.subplots(figsize=(9, 3.6), layout="constrained")
    rows = bars(found)[:-1]  # the last is about real time
    names = [bar.what for bar in rows]
    axes.barh(names, [bar.ratio for bar in rows], color=[GOOD if bar.kept else BAD for bar in rows], height=0.6)
    axes.scatter([bar.most for bar in rows], names, marker="|", s=300, color="black", zorder=3, label="allowed")
    axes.axvline(1.0, color=PALE, zorder=0)
    axes.set_xlabel("times the limit that was measured beside it")
    axes.invert_yaxis()
    axes.legend(frameon=False)
    figure.savefig(folder / "performance-bars.svg")

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for place, (kind, label) in enumerate((("robots", "robots in process"), ("clients", "C clients, 20 ms latency"))):
        counts = sorted(int(name.split("/")[1]) for name in found if name.startswith(f"{kind}/"))
        each = [found[f"{kind}/{count}"] / count for count in counts]
        axes[place].plot(counts, each, marker="o", color=CALM)
        axes[place].set_xscale("log")
        axes[place].set_ylim(0, 1.15 * max(each))
        axes[place].set_xlabel(label)
        axes[place].set_ylabel("µs per robot and frame")
    figure.savefig(folder / "performance-growth.svg")

    figure, axes = plt.subplots(figsize=(9, 2.4), layout="constrained")
    names = [name for name in found if name.startswith("peers/")]
    axes.barh([name.removeprefix("peers/") for name in names], [found[name] for name in names], color=CALM, height=0.6)
    axes.set_xlabel("µs per step of one robot")
    axes.invert_yaxis()
    figure.savefig(folder / "performance-peers.svg")
    plt.close("all")
