"""What a demonstration ends with: a table, and a sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from ubersim.demos.result import DemoResult
    from ubersim.demos.trajectory import Trajectory


def summary_table(result: DemoResult) -> Table:
    """The figures of a run."""
    simulation, trajectory = result.simulation, result.trajectory
    table = Table(show_header=False)
    table.add_row("frames", f"{simulation.frame} of {simulation.step_size * 1000:g} ms")
    table.add_row("real time factor, with the film", f"{simulation.time / result.wall:.1f}")
    table.add_row("largest tilt", f"{math.degrees(trajectory.largest_tilt):.1f}°")
    table.add_row("top speed", f"{trajectory.top_speed:.2f} m/s")
    table.add_row("distance", f"{trajectory.distance:.2f} m")
    return table


def verdict(trajectory: Trajectory, said: str) -> str:
    """How it went, in rich's markup: what the program said in the end, unless the robot fell."""
    if trajectory.fell:
        return "[red]It fell.[/]"
    return f"[green]Its program says:[/] {said}." if said else "[green]It stood all the time.[/]"
