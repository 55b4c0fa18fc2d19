"""Plots of what robots did: which of them are made is said by the demonstration."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ubersim.demos.film import CAMERA
from ubersim.demos.pictures import load_png
from ubersim.description.base import Solid
from ubersim.geometry import Array
from ubersim.plotting import new_figure, polygon

if TYPE_CHECKING:
    from ubersim.demos.demonstration import PlotKind
    from ubersim.demos.result import DemoResult

VIEW = replace(CAMERA, width=480, height=360)


def plot_balance(result: DemoResult, picture: Path) -> None:
    """Tilt, command and speed over time: the truth, and what the program read and commanded."""
    with result.log.open() as file:
        rows = list(csv.reader(file))[1:]
    time, tilt, wanted, speed = np.array(rows, dtype=float).T
    trajectory = result.trajectory
    figure = new_figure(9, 7)
    tilts, commands, speeds = figure.subplots(3, sharex=True)
    tilts.plot(time, np.degrees(tilt), color="tab:orange", linewidth=0.8, label="reading")
    tilts.plot(trajectory.times, np.degrees(trajectory.pitches), color="tab:blue", label="truth")
    tilts.plot(time, np.degrees(wanted), color="black", linestyle=":", label="wanted")
    tilts.set_ylabel("tilt [°]")
    tilts.legend(loc="lower right", ncols=3)
    commands.plot(time, speed, color="tab:green")
    commands.set_ylabel("command [rad/s]")
    speeds.plot(trajectory.times, trajectory.forward_speeds, color="tab:blue")
    speeds.set_ylabel("speed [m/s]")
    speeds.set_xlabel("time [s]")
    for axes in (tilts, commands, speeds):
        axes.grid(alpha=0.3)
    figure.savefig(picture, dpi=110)


def plot_views(result: DemoResult, picture: Path) -> None:
    """A column for each second: what is seen from outside, and the picture that the program received, both of the
    instant when that picture was taken."""
    demonstration, history = result.demonstration, result.history
    assert history is not None, "a demonstration with views names a camera"
    figure = new_figure(2.6 * len(demonstration.views), 4.4)
    axes = figure.subplots(2, len(demonstration.views), squeeze=False)
    for second, above, below in zip(demonstration.views, *axes, strict=True):
        instant = history.taken[second]
        above.set_title(f"{instant.time:.1f} s: {demonstration.act(instant.time)}", fontsize=11)
        above.imshow(result.outside.draw(VIEW, instant, instant.ground + demonstration.film_target))
        below.imshow(load_png(result.pictures / f"{second:04d}.png"))
        for place in (above, below):
            place.set_xticks([])
            place.set_yticks([])
    axes[0][0].set_ylabel("from outside")
    axes[1][0].set_ylabel("the robot's own view")
    figure.savefig(picture, dpi=96)


def footprint(solid: Solid, sides: int = 72) -> Array:
    """The corners of a solid seen from above [m]: where the lines that touch it from all sides cross."""
    angles = np.arange(sides + 1) * (math.tau / sides)
    normals = np.stack([np.cos(angles), np.sin(angles), np.zeros(sides + 1)], axis=1)
    reach = [solid.extent(normal) for normal in normals]
    pairs = zip(normals[:-1, :2], normals[1:, :2], reach[:-1], reach[1:], strict=True)
    return np.array([np.linalg.solve(np.stack([one, next_]), (near, far)) for one, next_, near, far in pairs])


def plot_route(result: DemoResult, picture: Path) -> None:
    """From above: what stands there, what is painted there, and where robot and ball went; and the robot's speed."""
    world, trajectory = result.simulation.description, result.trajectory
    figure = new_figure(7, 8)
    above, speeds = figure.subplots(2, height_ratios=[3, 1])
    for solid in world.static:
        above.add_patch(polygon(footprint(solid), solid.color))
    for strip in (strip for marking in world.markings for strip in marking.strips()):
        along = strip.length / 2 * math.cos(strip.heading), strip.length / 2 * math.sin(strip.heading)
        ends = [[strip.center[axis] - along[axis], strip.center[axis] + along[axis]] for axis in (0, 1)]
        above.plot(*ends, color="0.7", linewidth=1)
    for track, color, label in ((trajectory.positions, "tab:blue", "robot"), (trajectory.ball, "tab:orange", "ball")):
        if track:
            above.plot([place[0] for place in track], [place[1] for place in track], color=color, label=label)
            above.plot(*track[0][:2], "o", color=color)
    above.set_aspect("equal", adjustable="datalim")
    above.set_xlabel("x [m]")
    above.set_ylabel("y [m]")
    above.legend(loc="upper right")
    speeds.plot(trajectory.times[1:], trajectory.speeds, color="tab:blue")
    speeds.set_xlabel("time [s]")
    speeds.set_ylabel("speed [m/s]")
    for axes in (above, speeds):
        axes.grid(alpha=0.3)
    figure.savefig(picture, dpi=110)


@dataclass(frozen=True)
class Plot:
    """How a kind of plot is made, named and filed."""

    draw: Callable[[DemoResult, Path], None]
    title: str
    suffix: str = ""
    """What its file's name has after that of the robot."""


PLOTS: dict[PlotKind, Plot] = {
    "route": Plot(plot_route, "Its way"),
    "balance": Plot(plot_balance, "Tilt, command, speed"),
    "views": Plot(plot_views, "Its own view, and from outside", "_views"),
}
