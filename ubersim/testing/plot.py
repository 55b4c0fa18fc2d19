"""The motion of all robots and objects in a trial, as a picture."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from ubersim.plotting import new_figure, set_title, widen
from ubersim.testing.history import History, Moment

_LINES: dict[str, Callable[[Moment], float]] = {
    "tilt [°]": lambda moment: moment.tilt,
    "height [m]": lambda moment: float(moment.position[2]),
    "x [m]": lambda moment: float(moment.position[0]),
    "y [m]": lambda moment: float(moment.position[1]),
    "speed [m/s]": lambda moment: moment.speed,
}
MOST_BODIES = 12
_LEAST = 0.01
"""Of an axis: a centimetre, a hundredth of a degree, a centimetre per second."""


def shown(history: History, subjects: Collection[str]) -> list[str]:
    """These bodies, or else every robot's first body, and objects."""
    firsts = {body.partition("/")[0]: body for body in reversed(history.bodies)}
    bodies = [body for body in subjects if body in history.bodies] or list(reversed(firsts.values()))
    return bodies[:MOST_BODIES]


def plot_motion(history: History, picture: Path, bodies: Collection[str], title: str) -> None:
    """Tilt, place and speed of bodies over time."""
    figure = new_figure(9, 10)
    places = figure.subplots(len(_LINES), sharex=True)
    for body in bodies:
        moments = history.of(body)
        for place, value in zip(places, _LINES.values(), strict=True):
            place.plot([moment.time for moment in moments], [value(moment) for moment in moments], label=body)
    for place, name in zip(places, _LINES, strict=True):
        place.set_ylabel(name)
        place.grid(alpha=0.3)
        widen(place, _LEAST)
    if bodies:
        places[0].legend(loc="upper left")
    places[-1].set_xlabel("time [s]")
    set_title(figure, title)
    figure.savefig(picture, dpi=100)
