"""Plots of what robots did in their demonstrations."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ubersim.plotting import new_figure, rectangle

if TYPE_CHECKING:
    from ubersim.demos.film import Picture
    from ubersim.demos.trajectory import Record, Way
    from ubersim.description import WorldDescription


def plot_story(record: Record, log: Path, picture: Path) -> Path:
    """Tilt, command and speed over time: the truth, and what the client read and said."""
    with log.open() as file:
        rows = list(csv.reader(file))[1:]
    time, tilt, wanted, speed = ([float(value) for value in column] for column in zip(*rows, strict=True))
    figure = new_figure(9, 7)
    tilts, commands, speeds = figure.subplots(3, sharex=True)
    tilts.plot(time, [math.degrees(angle) for angle in tilt], color="tab:orange", linewidth=0.8, label="reading")
    tilts.plot(record.times, [math.degrees(angle) for angle in record.tilts], color="tab:blue", label="truth")
    tilts.plot(time, [math.degrees(angle) for angle in wanted], color="black", linestyle=":", label="wanted")
    tilts.set_ylabel("tilt [°]")
    tilts.legend(loc="lower right", ncols=3)
    commands.plot(time, speed, color="tab:green")
    commands.set_ylabel("command [rad/s]")
    speeds.plot(record.times, record.speeds, color="tab:blue")
    speeds.set_ylabel("speed [m/s]")
    speeds.set_xlabel("time [s]")
    for axes in (tilts, commands, speeds):
        axes.grid(alpha=0.3)
    figure.savefig(picture, dpi=110)
    return picture


def plot_views(pairs: Sequence[tuple[str, Picture, Picture]], picture: Path) -> Path:
    """A sheet with a column for each instant: a title, what is seen from outside, and what the robot itself sees."""
    figure = new_figure(2.6 * len(pairs), 4.4)
    axes = figure.subplots(2, len(pairs), squeeze=False)
    for (title, outside, own), above, below in zip(pairs, *axes, strict=True):
        above.set_title(title, fontsize=11)
        above.imshow(outside)
        below.imshow(own)
        for place in (above, below):
            place.set_xticks([])
            place.set_yticks([])
    axes[0][0].set_ylabel("from outside")
    axes[1][0].set_ylabel("the robot's own view")
    figure.savefig(picture, dpi=96)
    return picture


def plot_way(way: Way, world: WorldDescription, picture: Path) -> Path:
    """From above: what stands there, what is painted there, and where robot and ball went; and the robot's speed."""
    figure = new_figure(7, 8)
    above, speeds = figure.subplots(2, height_ratios=[3, 1])
    for solid in world.static:
        (left, near, _), (right, far, _) = solid.bounds()
        above.add_patch(rectangle((left, near), right - left, far - near, solid.color))
    for strip in (strip for marking in world.markings for strip in marking.strips()):
        along = strip.length / 2 * math.cos(strip.heading), strip.length / 2 * math.sin(strip.heading)
        ends = [[strip.center[axis] - along[axis], strip.center[axis] + along[axis]] for axis in (0, 1)]
        above.plot(*ends, color="0.7", linewidth=1)
    for track, color, label in ((way.places, "tab:blue", "robot"), (way.balls, "tab:orange", "ball")):
        if track:
            above.plot([place[0] for place in track], [place[1] for place in track], color=color, label=label)
            above.plot(*track[0][:2], "o", color=color)
    above.set_aspect("equal", adjustable="datalim")
    above.set_xlabel("x [m]")
    above.set_ylabel("y [m]")
    above.legend(loc="upper right")
    speeds.plot(way.times[1:], way.speeds, color="tab:blue")
    speeds.set_xlabel("time [s]")
    speeds.set_ylabel("speed [m/s]")
    for axes in (above, speeds):
        axes.grid(alpha=0.3)
    figure.savefig(picture, dpi=110)
    return picture
