"""What a demonstration ends with: a table of what came of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from ubersim.demos.trajectory import Track
    from ubersim.simulation import Simulation


def summary_table(simulation: Simulation, track: Track, wall: float, *, pace: str = "real time factor") -> Table:
    """`wall` is how long it took [s]; `pace` is what simulated time per real time is called."""
    table = Table(show_header=False)
    table.add_row("frames", f"{simulation.frame} of {simulation.step_size * 1000:g} ms")
    table.add_row(pace, f"{simulation.time / wall:.1f}")
    table.add_row("largest tilt", f"{math.degrees(track.largest_tilt):.1f}°")
    table.add_row("top speed", f"{track.top_speed:.2f} m/s")
    table.add_row("distance", f"{track.distance:.2f} m")
    return table
