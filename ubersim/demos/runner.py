"""Runs a demonstration: a server, a robot's own program, and everything that watches them."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from ubersim.demos.camera_history import CameraHistory
from ubersim.demos.client_process import run_with_client
from ubersim.demos.demonstration import Demonstration, demonstration_of
from ubersim.demos.film import Film
from ubersim.demos.outside_view import OutsideView, WorldInstant
from ubersim.demos.plots import PLOTS
from ubersim.demos.result import DemoResult
from ubersim.demos.summary import summary_table, verdict
from ubersim.demos.trajectory import Trajectory
from ubersim.description.resources import shipped
from ubersim.server import Server
from ubersim.simulation import Simulation

SAMPLE_PERIOD = 0.02
"""Between two samples of the trajectory [s]."""


def run(robot: str, out: Path) -> None:
    """Runs the demonstration of a robot; its film, plots and log are in the folder `out` then."""
    demonstration, console = demonstration_of(robot), Console()
    out.mkdir(parents=True, exist_ok=True)
    console.print(
        f"[bold]{robot}[/]: worlds/{demonstration.world} and, over TCP, [cyan]clients/{demonstration.client}[/]"
    )
    with (
        Simulation(shipped(f"worlds/{demonstration.world}"), render_workers=1) as simulation,
        tempfile.TemporaryDirectory() as pictures,
    ):
        result = _play(robot, demonstration, simulation, out / f"{robot}.csv", Path(pictures), console)
        files = {}
        for plot in (PLOTS[kind] for kind in demonstration.plots):
            files[plot.title] = out / f"{robot}{plot.suffix}.png"
            plot.draw(result, files[plot.title])
        files["Film"], files["The same, smaller"] = result.film.save()
        result.outside.close()
    console.print(summary_table(result))
    console.print(verdict(result.trajectory, result.said))
    for title, file in files.items():
        console.print(f"{title}: {file}", soft_wrap=True)


def _play(
    robot: str, demonstration: Demonstration, simulation: Simulation, log: Path, pictures: Path, console: Console
) -> DemoResult:
    """Server and program run to the end, watched in every frame."""
    outside = OutsideView(simulation, np.array(demonstration.film_from))
    film, trajectory = Film(outside, demonstration, log.with_suffix("")), Trajectory()
    history = CameraHistory(simulation, demonstration.camera) if demonstration.camera else None
    period = round(SAMPLE_PERIOD / simulation.step_size)
    columns = TextColumn("{task.description:14}"), BarColumn(40), TextColumn("{task.completed:.1f} s")
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(robot, total=demonstration.seconds)

        def watch(server: Server) -> None:
            name = next(iter(simulation.robots))
            if history is not None:
                history.update(name)
            if film.due(simulation.time):
                film.take(WorldInstant.of(simulation, name), history.newest if history is not None else None)
            if simulation.frame % period == 0:
                trajectory.sample(simulation, name)
                bar.update(task, completed=simulation.time, description=demonstration.act(simulation.time) or robot)

        started = time.perf_counter()
        said = run_with_client(
            simulation,
            frames=round(demonstration.seconds / simulation.step_size),
            client=demonstration.client,
            robot=robot,
            arguments=[argument.format(log=log, pictures=pictures) for argument in demonstration.arguments],
            watch=watch,
        )
        wall = time.perf_counter() - started
        bar.update(task, completed=demonstration.seconds)
    return DemoResult(demonstration, simulation, trajectory, film, outside, history, log, pictures, said, wall)
