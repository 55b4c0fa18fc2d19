"""`ubersim demo`: a server and a robot's own client in one command, with a story, a plot and a closing table."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from ubersim.demos.client_process import run_with_client
from ubersim.demos.film import PictureAlbum, load_png, save_film
from ubersim.demos.plots import plot_story, plot_views
from ubersim.demos.stories import TALES, tell
from ubersim.demos.summary import summary_table
from ubersim.demos.trajectory import Record
from ubersim.description.resources import shipped
from ubersim.errors import UberSimError
from ubersim.server import Server
from ubersim.simulation import Simulation


@dataclass(frozen=True)
class Story:
    """What a robot's client does in its demonstration."""

    client: str
    """The program, in clients/."""
    arguments: tuple[str, ...]
    """What it is told to do."""
    body: str
    """The body whose tilt and way are recorded."""
    seconds: float
    """How long it takes, in simulated time."""
    acts: tuple[tuple[float, str], ...]
    """From when on what happens [s], for the progress bar."""
    world: str
    """Where it takes place, in worlds/."""
    camera: str
    """The camera whose pictures are shown."""
    shown: range
    """Of which seconds the pictures are shown that the client received."""
    film: tuple[float, float]
    """What the film shows [s]."""

    def act(self, time: float) -> str:
        """What happens at a time [s]."""
        return [what for since, what in self.acts if since <= time][-1]


STORIES = {
    "segway": Story(
        client="segway_pd.py",
        arguments=("--script", "6:4.5,8:-4.5,12:4.5,14:0"),
        body="MainBody",
        seconds=20.0,
        acts=((0.0, "balances"), (6.0, "leans back"), (8.0, "leans forward"), (12.0, "brakes"), (14.0, "balances")),
        world="playground.xml",
        camera="Cam",
        shown=range(6, 12),
        film=(5.5, 14.5),
    )
}


def run(robot: str, out: Path) -> None:
    """Plays a robot's story, and leaves a plot, pictures, a film and a log of its client in the folder `out`."""
    if robot in TALES:
        tell(robot, out)
        return
    if robot not in STORIES:
        raise UberSimError(f"there is no demonstration of {robot!r}; there are {', '.join([*STORIES, *TALES])}")
    story = STORIES[robot]
    out.mkdir(parents=True, exist_ok=True)
    log = out / f"{robot}.csv"
    console = Console()
    console.print(f"[bold]{robot}[/]: a server and [cyan]clients/{story.client}[/], over TCP")
    with tempfile.TemporaryDirectory() as folder:
        received = Path(folder)
        started = time.perf_counter()
        simulation, record, album = _play(story, robot, log, received, console)
        wall = time.perf_counter() - started
        views = _views(story, album, received, out / f"{robot}_views.png")
    film = save_film(album.film, out / f"{robot}.gif")
    album.close()
    plot = plot_story(record, log, out / f"{robot}.png")
    console.print(summary_table(simulation, record, wall))
    console.print("[red]It fell.[/]" if record.fell else "[green]It stood all the time.[/]")
    console.print(f"Tilt, command, speed: {plot}\nIts own view, and from outside: {views}\nFilm: {film}")


def _play(
    story: Story, robot: str, log: Path, received: Path, console: Console
) -> tuple[Simulation, Record, PictureAlbum]:
    simulation, record = Simulation(shipped(f"worlds/{story.world}"), render_workers=1), Record()
    album = PictureAlbum(simulation, story.body, story.camera, story.film)
    frames = round(story.seconds / simulation.step_size)
    every = round(0.01 / simulation.step_size)
    columns = TextColumn("{task.description:14}"), BarColumn(40), TextColumn("{task.completed:.1f} s")
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=story.seconds)

        def watch(server: Server) -> None:
            living = next(iter(simulation.robots.values()))
            album.watch(living)
            if simulation.frame % every == 0:
                record.take(simulation, living.name, story.body)
            if simulation.frame % (25 * every) == 0:
                bar.update(task, completed=simulation.time, description=story.act(simulation.time))

        arguments = (*story.arguments, "--log", str(log), "--pictures", str(received))
        run_with_client(simulation, frames, client=story.client, robot=robot, arguments=arguments, watch=watch)
        bar.update(task, completed=story.seconds)
    return simulation, record, album


def _views(story: Story, album: PictureAlbum, received: Path, file: Path) -> Path:
    """What the client got over TCP, beside what somebody saw at the instants when those pictures were taken."""
    instants = [album.received[second] for second in story.shown]
    pairs = [
        (f"{instant.time:.1f} s: {story.act(instant.time)}", album.outside(instant), load_png(received / name))
        for instant, name in zip(instants, (f"{second:04d}.png" for second in story.shown), strict=True)
    ]
    return plot_views(pairs, file)
