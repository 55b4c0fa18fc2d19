"""`ubersim learn-map`: what a robot's sensors tell at all poses of a field."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app
from ubersim.cli.run_progress import count_progress
from ubersim.cli.sweep import Where


@app.command("learn-map")
def learn_map(
    robot: Annotated[Path, typer.Argument(help="Robot whose sensors are learned.")],
    world: Annotated[Path, typer.Option(help="World with the field, e.g. msl_12x8.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the map.")] = Path("map.npz"),
    cell: Annotated[float, typer.Option(help="From one position to the next [m].")] = 0.2,
    headings: Annotated[int, typer.Option(help="Headings at each position.")] = 36,
    area: Annotated[
        tuple[float, float, float, float] | None,
        typer.Option(help="LEFT NEAR RIGHT FAR [m]; without it, the field's lines and half a metre."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Picture of the expectations, and of what a pose looks like.")
    ] = None,
    pose: Annotated[
        tuple[float, float, float], typer.Option(help="With --plot: X Y [m] HEADING [degrees] that is looked at.")
    ] = (1.0, 1.0, 30.0),
    on: Where = "local",
) -> None:
    """Drive a robot over all poses of a field with noise off; keep what its sensors tell there, for localization."""
    from ubersim.description import default_materials, load_world
    from ubersim.league.localization import PoseGrid
    from ubersim.league.localization import learn_map as learn
    from ubersim.league.localization.field import field_of, free_nodes
    from ubersim.league.localization.plot import plot_map
    from ubersim.simulation.inputs import robot_from
    from ubersim.sweeps.executors import workplace

    described, field = robot_from(robot, default_materials()), load_world(world)
    grid = PoseGrid.over(area or field_of(field), cell, headings)
    with workplace(on) as place, count_progress("poses", int(free_nodes(field, described, grid).sum())) as told:
        learned = learn(described, field, grid, place, told)
    learned.save(out)
    sensors = ", ".join(f"{name} ({len(model.features)} features)" for name, model in learned.models.items())
    typer.echo(f"{out}: {grid.columns} x {grid.rows} x {grid.headings} poses; {sensors}")
    if plot is not None:
        plot_map(learned, (pose[0], pose[1], math.radians(pose[2])), plot)
        typer.echo(plot)
