"""The application that every verb registers with, and what several verbs share."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.verbs import Verbs
from ubersim.errors import UberSimError
from ubersim.files import read_file
from ubersim.version import __version__

if TYPE_CHECKING:
    from ubersim.recording.log import Log

app = typer.Typer(
    name="ubersim",
    cls=Verbs,
    help="ÜberSim: a simulation server for dynamic, vision-centric robots.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Verbs.app = app

MaterialsFile = Annotated[Path | None, typer.Option(help="Materials file; default: the one that comes along.")]
LogFile = Annotated[Path, typer.Argument(help="Log.")]


def a_number(value: float | None) -> float | None:
    """For options of a range, which Typer would take to hold what is no number at all."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is no number")
    return value


def render_workers(render: str) -> int:
    """How many processes draw, as the option `--render` says; 0: this one does."""
    if render == "inline":
        return 0
    found = re.fullmatch(r"workers=([1-9][0-9]?)", render)
    if found is None:
        raise UberSimError(f"--render takes inline or workers=N, with N from 1 to 99, not {render!r}")
    return int(found[1])


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ubersim {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Tell the version, and no more.")
    ] = False,
) -> None:
    """Options of `ubersim` itself, before any verb."""


def picture_size(text: str) -> tuple[int, int]:
    """Width and height [px] of what is drawn, as the option `--size` says."""
    from ubersim.render.camera import LARGEST

    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    width, height = map(int, found.groups()) if found else (0, 0)
    if not 1 <= width <= LARGEST or not 1 <= height <= LARGEST:
        raise UberSimError(f"--size is WIDTHxHEIGHT, each from 1 to {LARGEST}, not {text!r}")
    return width, height


def point_in(text: str, option: str) -> tuple[float, float, float]:
    """Three numbers, as an option says them."""
    try:
        x, y, z = map(float, text.split(","))
    except ValueError:
        x = y = z = math.nan
    if not all(map(math.isfinite, (x, y, z))):
        raise UberSimError(f"{option} is x,y,z, not {text!r}")
    return x, y, z


def located(file: Path) -> Path:
    """A file, or the one that comes along under that name: `segway`, `office`."""
    from ubersim.description.resources import by_name

    return by_name(file, "robots", "worlds")


def root_tag(file: Path) -> str:
    """Of an XML file, before it is read as anything: `Client` for a robot, `World` for a world."""
    from ubersim.description.document import parse

    try:
        return str(parse(read_file(file), str(file)).tag)
    except OSError as error:
        raise UberSimError(f"cannot read {file}: {error.strerror}") from None


def cut_short(log: Log) -> str:
    """What a report says in the end about a log that its writer has not closed."""
    return "" if log.complete else "; its writer was killed or is still writing, and the log ends there"
