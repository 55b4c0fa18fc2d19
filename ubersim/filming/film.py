"""A film from a log: cut into shots, drawn wherever there is room, put together again."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from ubersim.demos.pictures import load_png
from ubersim.errors import UberSimError
from ubersim.filming.labels import LABELS
from ubersim.filming.log_views import LogViews
from ubersim.filming.logged_marks import LoggedMarks
from ubersim.filming.mp4 import pyav, write_mp4
from ubersim.filming.shot import CameraView, DrawnPicture, Shot, draw
from ubersim.png import save_png
from ubersim.recording.log import Log
from ubersim.render import Camera
from ubersim.sweeps.executors import Workplace

_SHOT = 25
"""Pictures that are drawn in one place."""


@dataclass(frozen=True)
class FilmSettings:
    """What is drawn of a log, and how."""

    camera: str = ""
    """`Robot/Camera`; empty: from outside."""
    eye: tuple[float, float, float] = (3.0, -3.0, 2.0)
    """Where an outside view is taken from [m]."""
    along: bool = False
    """Whether an outside view goes along with its target; `eye` is then seen from there."""
    start: float = 0.0
    """From when on [s]."""
    end: float | None = None
    """Until when [s]; None: to the end."""
    target: str = ""
    """What an outside view looks at: a robot, an object, or `Robot/Body`; empty: the first robot."""
    every: int = 40
    """Frames from one picture to the next."""
    size: tuple[int, int] | None = None
    """Width and height [px]; None: the camera's, or 640 x 480."""
    samples: int = 4
    """Per pixel, against jagged edges."""
    shadows: bool = True
    light_seed: int | None = None
    """Every picture in another light; None: in that of the world."""
    labels: str = ""
    """`coco` or `yolo`: boxes and outlines of what is in the pictures; empty: none."""
    drawings: bool = False
    """Whether pictures of a robot's camera have what its program drew in their pixels."""


def film(
    log: Log,
    settings: FilmSettings,
    folder: Path,
    place: Workplace,
    *,
    mp4: Path | None = None,
) -> int:
    """Draws the pictures into a folder, `FRAME.png` each; returns how many."""
    if settings.labels and settings.labels not in LABELS:
        raise UberSimError(f"there are no labels {settings.labels!r}; there are {', '.join(LABELS)}")
    if mp4 is not None:
        pyav()
    views = LogViews(log)
    camera, taken = _camera(views, log, settings)
    shots = _shots(views, camera, taken, settings)
    folder.mkdir(parents=True, exist_ok=True)
    labels = LABELS[settings.labels](folder, camera, views.names) if settings.labels else None
    marks = LoggedMarks(log, settings.camera) if settings.drawings and settings.camera else None
    count = 0
    files = []
    for drawn in _drawn(shots, place):
        for one in drawn:
            files.append(folder / f"{one.frame:08}.png")
            files[-1].write_bytes(one.png)
            if marks is not None:
                own = views.camera(settings.camera)[0]
                save_png(files[-1], marks.over(load_png(files[-1]), one.frame, (own.width, own.height)))
            if labels is not None and one.objects is not None:
                labels.add(files[-1], one.objects)
        count += len(drawn)
    if labels is not None:
        labels.close()
    if mp4 is not None and files:
        write_mp4(files, mp4, rate=1.0 / (settings.every * log.step))
    return count


def _camera(views: LogViews, log: Log, settings: FilmSettings) -> tuple[Camera, Iterator[CameraView]]:
    last = log.last if settings.end is None else min(log.last, round(settings.end / log.step))
    frames = range(max(log.first, round(settings.start / log.step)), last + 1, settings.every)
    if settings.camera:
        camera, carrier, pose = views.camera(settings.camera)
        taken = views.aboard(carrier, pose, frames)
    else:
        camera = Camera(640, 480, fov=np.radians(50.0), far=200.0)
        target = settings.target or next((robot for robot, _ in log.at(0.0).states if robot), "")
        look = views.along if settings.along else views.outside
        taken = look(np.array(settings.eye), target, frames)
    if settings.size is not None:
        camera = replace(camera, width=settings.size[0], height=settings.size[1])
    return replace(camera, samples=settings.samples, shadows=settings.shadows), taken


def _shots(views: LogViews, camera: Camera, taken: Iterator[CameraView], settings: FilmSettings) -> Iterator[Shot]:
    while part := tuple(islice(taken, _SHOT)):
        yield Shot(views.scene, camera, part, settings.light_seed, bool(settings.labels))


def _drawn(shots: Iterator[Shot], place: Workplace) -> Iterator[list[DrawnPicture]]:
    """In order, a few shots ahead of what is waited for."""
    waiting: list[Future[list[DrawnPicture]]] = []
    while True:
        while len(waiting) < 2 * place.width() and (shot := next(shots, None)) is not None:
            waiting.append(place.executor.submit(draw, shot))
        if not waiting:
            return
        yield waiting.pop(0).result()
