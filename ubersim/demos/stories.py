"""Demonstrations of the robots: each with its own client over TCP, its world, a film and a plot of its way."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from ubersim.demos.client_process import run_with_client
from ubersim.demos.film import FILM_RATE, LIGHT, Picture, looking_at, save_film
from ubersim.demos.plots import plot_way
from ubersim.demos.summary import summary_table
from ubersim.demos.trajectory import Way
from ubersim.description.resources import shipped
from ubersim.geometry import Array
from ubersim.png import from_bgra
from ubersim.render import Camera, InlineRenderer, Job
from ubersim.render.portrait import STUDIO_SKY
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of

LENS = Camera(width=400, height=300, fov=math.radians(38), near=0.05, far=200, samples=4, shadows=True)
CALM = 0.9
"""How much of the last picture's gaze the next one keeps."""
EVERY = 0.02
"""Time between two looks at the truth [s]."""


@dataclass(frozen=True)
class Tale:
    """What a robot's client shows, and how it is filmed."""

    client: str
    """The program, in clients/."""
    world: str
    """Where it takes place, in worlds/."""
    seconds: float
    """How long it takes, in simulated time."""
    watcher: tuple[float, float, float]
    """Where the camera of the film is, seen from what it looks at [m]."""
    film: tuple[float, float]
    """What the film shows [s]."""
    height: float = 0.1
    """Of what it looks at above the ground [m]."""


TALES = {
    "scout": Tale("scout_wander.py", "office.xml", 40.0, (1.6, -2.2, 2.6), (4.0, 16.0)),
    "pioneer": Tale("pioneer_wall.py", "office.xml", 60.0, (1.6, -2.2, 2.6), (14.0, 28.0)),
    "car": Tale("car_eight.py", "ground.xml", 22.0, (2.2, -2.6, 1.6), (0.0, 10.0)),
    "ssl": Tale("ssl_kick.py", "ssl_9x6.xml", 6.0, (1.0, -1.1, 0.7), (0.0, 4.5)),
    "msl_omni": Tale("msl_square.py", "msl_12x8.xml", 14.0, (2.6, -2.8, 1.8), (0.0, 12.0), 0.3),
    "aibo": Tale("aibo_trot.py", "legged_4x3.xml", 6.5, (0.75, 0.65, 0.35), (0.0, 6.0)),
    "humanoid": Tale("humanoid_bow.py", "ground.xml", 9.5, (0.6, 1.1, 0.3), (0.0, 9.5), 0.27),
}


class FollowingFilm:
    """Follows a robot."""

    def __init__(self, simulation: Simulation, tale: Tale) -> None:
        self._simulation, self._tale = simulation, tale
        self._renderer: InlineRenderer | None = None
        self._gaze: Array | None = None
        self.pictures: list[Picture] = []

    def watch(self, robot: str) -> None:
        """Takes a picture when it is time for one."""
        (start, end), now = self._tale.film, self._simulation.time
        if not start <= now <= end or len(self.pictures) > (now - start) * FILM_RATE:
            return
        if self._renderer is None:
            scene = scene_of(self._simulation)
            self._renderer = InlineRenderer(replace(scene, lights=LIGHT, sky=STUDIO_SKY))
        target = self._simulation.body(robot).position.copy()
        target[2] = self._tale.height
        self._gaze = target if self._gaze is None else CALM * self._gaze + (1 - CALM) * target
        eye, world = self._gaze + np.array(self._tale.watcher), self._simulation.world
        job = Job(LENS, eye, looking_at(eye, self._gaze), world.positions, world.rotations)
        drawn = self._renderer.collect(self._renderer.submit(job))
        self.pictures.append(from_bgra(np.asarray(drawn, dtype=np.uint8)))

    def close(self) -> None:
        """Frees what drawing needed."""
        if self._renderer is not None:
            self._renderer.close()


def tell(robot: str, out: Path) -> None:
    """Plays a robot's tale, and leaves a film and a plot of its way in the folder `out`."""
    tale, console = TALES[robot], Console()
    out.mkdir(parents=True, exist_ok=True)
    console.print(f"[bold]{robot}[/]: worlds/{tale.world} and, over TCP, [cyan]clients/{tale.client}[/]")
    with Simulation(shipped(f"worlds/{tale.world}")) as simulation:
        film, way = FollowingFilm(simulation, tale), Way()
        started = time.perf_counter()
        said = _play(tale, robot, simulation, way, film, console)
        wall = time.perf_counter() - started
        film.close()
        picture = plot_way(way, simulation.description, out / f"{robot}.png")
        console.print(summary_table(simulation, way, wall, pace="real time factor, with the film"))
    moving = save_film(film.pictures, out / f"{robot}.gif")
    console.print("[red]It fell.[/]" if way.fell else f"[green]Its program says:[/] {said}.")
    console.print(f"Its way: {picture}\nFilm: {moving}")


def _play(tale: Tale, robot: str, simulation: Simulation, way: Way, film: FollowingFilm, console: Console) -> str:
    """Runs server and client; returns the client's closing words."""
    every = round(EVERY / simulation.step_size)
    columns = TextColumn("{task.description}"), BarColumn(40), TextColumn("{task.completed:.1f} s")
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(robot, total=tale.seconds)

        def watch(server: Server) -> None:
            name = next(iter(simulation.robots))
            film.watch(name)
            if simulation.frame % every == 0:
                way.take(simulation, name)
                bar.update(task, completed=simulation.time)

        frames = round(tale.seconds / simulation.step_size)
        return run_with_client(simulation, frames, client=tale.client, robot=robot, watch=watch)
