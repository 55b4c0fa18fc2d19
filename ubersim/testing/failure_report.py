"""What is left of a trial that failed: a log, a plot, pictures, and what the programs said."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import numpy as np

from ubersim.components.sensors.camera import CameraSensor
from ubersim.errors import UberSimError
from ubersim.png import save_png
from ubersim.render.pixel_formats import to_rgb
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of
from ubersim.testing.served import ServedTrial
from ubersim.testing.trial import Trial

MOST_TOPICS = 12
"""In the picture of what a robot was told and did."""

if TYPE_CHECKING:
    from ubersim.recording import Recorder


class Evidence:
    """Collected from the beginning, kept if the test fails."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._scratch = Path(mkdtemp(prefix="ubersim-"))
        self._recorder: Recorder | None = None
        try:
            from ubersim.recording import Recorder

            self._recorder = Recorder(simulation, self._scratch / "run.mcap")
        except (ImportError, UberSimError):  # without the extra `log`, a table takes its place
            pass

    def save(self, trial: Trial, folder: Path) -> list[str]:
        """Writes everything to a folder; returns what there is, a line each."""
        folder.mkdir(parents=True, exist_ok=True)
        found = [f"saved in {folder}"]
        for what, save in self._kinds(trial):
            try:
                found += [f"  {what}: {path.name}{hint}" for path, hint in save(folder)]
            except Exception as error:  # whatever it is, it must not hide why the test failed
                found.append(f"  no {what}: {error}")
        return found

    def _kinds(self, trial: Trial) -> Iterator[tuple[str, Callable[[Path], Iterator[tuple[Path, str]]]]]:
        yield "log", lambda folder: self._log(trial, folder)
        yield "plot", lambda folder: _plot(trial, folder)
        yield "camera", lambda folder: _cameras(self._simulation, folder)
        yield "picture", lambda folder: _portrait(self._simulation, folder)
        yield "output", lambda folder: _output(trial, folder)

    def _log(self, trial: Trial, folder: Path) -> Iterator[tuple[Path, str]]:
        if self._recorder is not None:
            self._recorder.close()
            log = Path(shutil.move(self._scratch / "run.mcap", folder / "run.mcap"))
            yield log, f"   (ubersim replay {log})"
        else:
            trial.history.write_csv(folder / "run.csv")
            yield folder / "run.csv", "   (pip install 'ubersim[log]' for logs that replay)"

    def close(self) -> None:
        """Forgets what was not saved."""
        if self._recorder is not None:
            self._recorder.close()
        shutil.rmtree(self._scratch, ignore_errors=True)


def folder_of(test: str) -> str:
    """A name for the folder of a test, from its own."""
    return re.sub(r"[^A-Za-z0-9_.=-]+", "-", test).strip("-")


def _plot(trial: Trial, folder: Path) -> Iterator[tuple[Path, str]]:
    from ubersim.testing.plot import plot_motion, shown

    bodies = shown(trial.history, trial.subjects)
    plot_motion(trial.history, folder / "motion.png", bodies, motion_title(trial.simulation, bodies))
    yield folder / "motion.png", f"   (tilt, height, way and speed of {', '.join(bodies) or 'nothing'})"
    if (folder / "run.mcap").exists():
        from ubersim.recording.log import Log
        from ubersim.recording.plot import plot
        from ubersim.recording.tables import topics

        with Log(folder / "run.mcap") as log:
            known = [topic for topic in topics(log) if not topic.endswith(("/pose", "/latency"))]
            robots = list(dict.fromkeys(body.partition("/")[0] for body in bodies))
            chosen, count = chosen_topics(known, robots)
            if chosen:
                plot([log], chosen, folder / "readings.png")
                some = f", {len(chosen)} of {count} topics" if count > len(chosen) else ""
                whom = ", ".join(robot for robot in robots if any(topic.split("/")[1] == robot for topic in chosen))
                yield folder / "readings.png", f"   (commands and readings of {whom}{some})"


def chosen_topics(known: list[str], robots: list[str]) -> tuple[list[str], int]:
    """Of all that these robots were told and read, what fits into a picture: something of each; and how much it is."""
    parts = [[topic for topic in known if topic.split("/")[1] == robot] for robot in robots]
    kinds = [  # commands, /ROBOT/COMPONENT/PROPERTY, and readings, /ROBOT/SENSOR
        [topic for topic in part if (topic.count("/") > 2) is commands] for part in parts for commands in (True, False)
    ]
    turns = [topic for turn in zip_longest(*kinds) for topic in turn if topic is not None]
    return [topic for topic in known if topic in turns[:MOST_TOPICS]], len(turns)


def motion_title(simulation: Simulation, bodies: list[str]) -> str:
    """Whose motion it is, with the latencies of robots that are there, and the world."""
    robots = {body: simulation.robots.get(body.partition("/")[0]) for body in bodies}
    parts = [body + (f" (latency {robot.commands.latency})" if robot else "") for body, robot in robots.items()]
    world = simulation.description.title
    return ", ".join(parts) + (f" in {world}" if world else "")


def _cameras(simulation: Simulation, folder: Path) -> Iterator[tuple[Path, str]]:
    """The last picture that each camera delivered."""
    for robot in simulation.robots.values():
        for name, channel in robot.sensors.items():
            about = channel.description
            if isinstance(about, CameraSensor) and channel.latest is not None:
                size = math.prod(about.picture_shape)
                if len(channel.latest) < size:
                    continue  # one that reports what it sees as a list
                picture = np.frombuffer(channel.latest[-size:], np.uint8).reshape(about.picture_shape)
                path = folder / f"{robot.name}-{name}.png"
                save_png(path, to_rgb(picture, about.format))
                captured = channel.latest_frame * simulation.step_size
                yield path, f"   (as {robot.name} saw it at {captured:.3f} s)"


def _portrait(simulation: Simulation, folder: Path) -> Iterator[tuple[Path, str]]:
    """The last instant, seen from outside."""
    from ubersim.render.portrait import Portrait, portrait

    world, how = simulation.world, Portrait(width=640, height=480, oversample=1, light=None)
    save_png(folder / "end.png", portrait(scene_of(simulation), world.positions, world.rotations, how))
    yield folder / "end.png", f"   (the world at {simulation.time:.3f} s)"


def _output(trial: Trial, folder: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(trial, ServedTrial):
        for number, program in enumerate(trial.programs, 1):
            path = folder / f"program-{number}.txt"
            path.write_text(program.output())
            yield path, f"   ({program.name})"
