"""Topics of a log over time, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ubersim.errors import UberSimError
from ubersim.plotting import new_figure
from ubersim.recording.log import Log
from ubersim.recording.tables import POSE, Table, collect


def plot(log: Log, wanted: list[str], picture: Path) -> None:
    """One below the other; `TOPIC.COLUMN` shows one column only. The ending says what kind of picture it is."""
    if picture.suffix not in (".png", ".svg", ".pdf"):
        raise UberSimError(f"{picture} should end in .png, .svg or .pdf")
    choices = [_choice(text) for text in wanted]
    found = collect(log, [topic for topic, _ in choices])
    figure = new_figure(9, 1.5 + 2.0 * len(choices))
    places = figure.subplots(len(choices), sharex=True, squeeze=False)[:, 0]
    for place, (topic, column) in zip(places, choices, strict=True):
        _draw(place, found[topic], column, log.step)
    places[-1].set_xlabel("time [s]")
    figure.savefig(picture, dpi=110)


def _choice(text: str) -> tuple[str, str]:
    """`/Segway/MainBody/pose.z` -> topic and column. Names may have dots, so that only those after `pose` count."""
    topic, pose, column = text.rpartition("/pose.")
    return (f"{topic}/pose", column) if pose else (text, "")


def _draw(place: Any, table: Table, column: str, step: float) -> None:
    if column and column not in table.columns:
        raise UberSimError(f"{table.topic} has no column {column!r}; it has {', '.join(table.columns)}")
    style = "steps-post" if table.topic.count("/") == 3 and table.columns != POSE else "default"  # a command holds
    for index, name in enumerate(table.columns):
        if column in ("", name):
            place.plot(table.frames * step, table.values[:, index], label=name, drawstyle=style, linewidth=0.9)
    place.set_title(f"{table.topic}.{column}" if column else table.topic, fontsize="medium")
    place.grid(alpha=0.3)
    if not column and 1 < len(table.columns) <= len(POSE):
        place.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
