"""Plots for people. matplotlib is an extra, so it is imported only here and only when something is drawn."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING

from ubersim.errors import UberSimError

if TYPE_CHECKING:
    from ubersim.demo import Record


def plot_story(record: Record, log: Path, picture: Path) -> Path:
    """Tilt, command and speed over time: the truth, and what the client read and said."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UberSimError("plots need matplotlib: pip install 'ubersim[plot]'") from None
    with log.open() as file:
        rows = list(csv.reader(file))[1:]
    time, tilt, wanted, speed = ([float(value) for value in column] for column in zip(*rows, strict=True))
    figure = Figure(figsize=(9, 7), layout="constrained")
    tilts, commands, speeds = figure.subplots(3, sharex=True)
    tilts.plot(time, [math.degrees(angle) for angle in tilt], color="tab:orange", linewidth=0.8, label="reading")
    tilts.plot(record.times, [math.degrees(angle) for angle in record.tilts], color="tab:blue", label="truth")
    tilts.plot(time, [math.degrees(angle) for angle in wanted], color="black", linestyle=":", label="wanted")
    tilts.set_ylabel("tilt [°]")
    tilts.legend(loc="upper right", ncols=3)
    commands.plot(time, speed, color="tab:green")
    commands.set_ylabel("command [rad/s]")
    speeds.plot(record.times, record.speeds, color="tab:blue")
    speeds.set_ylabel("speed [m/s]")
    speeds.set_xlabel("time [s]")
    for axes in (tilts, commands, speeds):
        axes.grid(alpha=0.3)
    figure.savefig(picture, dpi=110)
    return picture
