"""Options in groups: the verb is given objects, its users see options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from ubersim.cli.option_groups import grouped
from ubersim.cli.serve_options import LimitOptions
from ubersim.simulation.budget import RobotBudget

Count = Annotated[int, typer.Option(min=0, help="How many.")]


@dataclass(frozen=True)
class SizeOptions:
    """How large it is.

    More that help does not show.
    """

    length: Annotated[float, typer.Option(help="From end to end.")]
    count: Count = 2


@dataclass(frozen=True)
class FileOptions:
    """What is written."""

    file: Annotated[Path | None, typer.Option(help="Where to.")] = None
    again: Annotated[bool, typer.Option("--again", help="Twice.")] = False


class Verb:
    """A verb with two groups, and what it was given."""

    def __init__(self) -> None:
        self.given: tuple[SizeOptions, FileOptions] | None = None
        self.app = typer.Typer()

        @self.app.command()
        @grouped
        def build(size: SizeOptions, files: FileOptions) -> None:
            """Build it."""
            self.given = size, files


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("--length 2.5", (SizeOptions(2.5), FileOptions())),
        ("--again --count 7 --length 1 --file x", (SizeOptions(1.0, 7), FileOptions(Path("x"), again=True))),
    ],
)
def test_a_verb_is_given_its_groups(words: str, given: tuple[SizeOptions, FileOptions]) -> None:
    verb = Verb()
    result = CliRunner().invoke(verb.app, words.split())
    assert result.exit_code == 0 and verb.given == given


@pytest.mark.parametrize("words", ["", "--length 1 --count -1", "--length long", "--length 1 --size 2"])
def test_what_is_missing_or_wrong_is_refused_as_ever(words: str) -> None:
    verb = Verb()
    assert CliRunner().invoke(verb.app, words.split()).exit_code == 2 and verb.given is None


def test_help_has_a_title_for_each_group() -> None:
    said = CliRunner().invoke(Verb().app, ["--help"]).output
    assert "Build it." in said and "More that" not in said
    places = [said.index(text) for text in ("How large it is", "--length", "--count", "What is written", "--again")]
    assert places == sorted(places)
    assert getattr(Count, "__metadata__")[0].rich_help_panel is None  # noqa: B009  # what groups share stays as it was


def test_limits_that_are_not_given_are_a_robots_usual_ones() -> None:
    assert LimitOptions().budget() == RobotBudget()
