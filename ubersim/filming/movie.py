"""A log as a film to show: from outside, along with a robot, with what its camera saw in a corner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ubersim.demos.pictures import Picture, load_png, save_gif, with_inset
from ubersim.errors import UberSimError
from ubersim.filming.film import FilmSettings, film
from ubersim.filming.logged_marks import LoggedMarks
from ubersim.filming.mp4 import Mp4Writer, pyav
from ubersim.recording.log import Log
from ubersim.recording.population import robots_of
from ubersim.sweeps.executors import Workplace

SUFFIXES = (".mp4", ".gif")


USUAL_OFFSET, USUAL_SIZE = (1.8, -2.4, 1.4), 0.9
"""Where the camera is beside a robot of that largest extent [m]."""
NEAREST, FARTHEST = 0.3, 4.0
"""Of that distance, whatever the size."""


@dataclass(frozen=True)
class MovieSettings:
    """How a log is filmed."""

    follow: str = ""
    """The robot, object or `Robot/Body` that is kept in the picture; empty: the first robot."""
    offset: tuple[float, float, float] | None = None
    """Where the camera is, seen from what it follows [m]; None: as the robot's size asks."""
    eye: tuple[float, float, float] | None = None
    """A place where the camera stands, instead of going along [m]."""
    inset: str = ""
    """`Robot/Camera`, whose pictures are in the lower right corner, with what its program drew there; empty: none."""
    size: tuple[int, int] = (960, 540)
    """Width and height [px]."""
    rate: float = 25.0
    """Pictures per second."""
    speed: float = 1.0
    """How many times as fast as it was the film goes."""
    start: float = 0.0
    """From when on [s]."""
    end: float | None = None
    """Until when [s]; None: to the end."""
    shadows: bool = True


def movie(log: Log, path: Path, settings: MovieSettings, place: Workplace) -> int:
    """Writes the film, MP4 or GIF as its name ends; returns how many pictures it has."""
    if path.suffix.lower() not in SUFFIXES:
        raise UberSimError(f"{path} should end in {' or '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise UberSimError(f"cannot write {path}: there is no folder {path.parent}")
    _refuse_no_time(log, settings)
    if path.suffix.lower() == ".mp4":
        pyav()
    every = max(1, round(settings.speed / (settings.rate * log.step)))
    common = FilmSettings(every=every, start=settings.start, end=settings.end, shadows=settings.shadows)
    outside = replace(
        common,
        target=settings.follow,
        size=settings.size,
        eye=settings.eye or settings.offset or usual_offset(log, settings.follow),
        along=settings.eye is None,
    )
    with TemporaryDirectory() as scratch:
        wide, small = Path(scratch) / "wide", Path(scratch) / "small"
        if settings.inset:
            film(log, replace(common, camera=settings.inset), small, place)
        count = film(log, outside, wide, place)
        if not count:
            raise UberSimError(f"{settings.follow or 'a robot'} is in none of the frames that were asked for")
        marks = LoggedMarks(log, settings.inset) if settings.inset else None
        _write(_pictures(wide, small, marks), path, rate=settings.speed / (every * log.step))
    return count


def _refuse_no_time(log: Log, settings: MovieSettings) -> None:
    """Before anything is drawn."""
    ends = log.last * log.step
    if settings.start > ends:
        raise UberSimError(f"{log.path} ends at {ends:g} s; there is nothing from {settings.start:g} s on")
    if settings.end is not None and settings.end < settings.start:
        raise UberSimError(f"there is nothing from {settings.start:g} s to {settings.end:g} s")


def usual_offset(log: Log, follow: str) -> tuple[float, float, float]:
    """Beside, behind and above, at such a distance that a robot is well seen; of other things, as a Segway."""
    robots = robots_of(log)
    robot = robots.get(follow.partition("/")[0]) or (None if follow else next(iter(robots.values()), None))
    share = 1.0
    if robot is not None:
        boxes = np.array([solid.bounds() for body in robot.bodies for solid in body.shown])
        size = float((boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)).max())
        share = min(max(size / USUAL_SIZE, NEAREST), FARTHEST)
    x, y, z = (share * part for part in USUAL_OFFSET)
    return x, y, z


def _pictures(wide: Path, small: Path, marks: LoggedMarks | None) -> Iterator[Picture]:
    """Each with the newest inset, if there are any, and what is drawn over that."""
    insets = {int(file.stem): file for file in small.glob("*.png")}
    newest: tuple[int, Picture] | None = None
    for file in sorted(wide.glob("*.png")):
        if int(file.stem) in insets:
            newest = int(file.stem), load_png(insets[int(file.stem)])
        picture = load_png(file)
        if newest is not None and marks is not None:
            frame, inset = newest
            picture = with_inset(picture, inset, partial(marks.over, frame=frame, size=inset.shape[1::-1]))
        yield picture


def _write(pictures: Iterator[Picture], path: Path, *, rate: float) -> None:
    if path.suffix.lower() == ".gif":
        try:
            save_gif(list(pictures), path, rate=rate)
        except OSError as error:
            raise UberSimError(f"cannot write {path}: {error.strerror}") from None
        return
    with Mp4Writer(path, rate=rate) as writer:
        for picture in pictures:
            writer.add(picture)
