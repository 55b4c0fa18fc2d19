"""Demonstrations as `ubersim demo` runs them: over TCP, with a film, plots and a summary."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ubersim.cli.demo import demo
from ubersim.demos.demonstration import DEMONSTRATIONS, Demonstration
from ubersim.demos.plots import PLOTS
from ubersim.description import shipped, shipped_names
from ubersim.errors import UberSimError


def test_every_robot_that_comes_along_is_demonstrated() -> None:
    assert set(DEMONSTRATIONS) == set(shipped_names("robots"))


@pytest.mark.parametrize("demonstration", DEMONSTRATIONS.values(), ids=DEMONSTRATIONS)
def test_what_a_demonstration_needs_is_there(demonstration: Demonstration) -> None:
    assert shipped(f"clients/{demonstration.client}").is_file()
    assert shipped(f"worlds/{demonstration.world}").is_file()
    assert demonstration.film[1] <= demonstration.seconds
    assert set(demonstration.plots) <= set(PLOTS)
    assert bool(demonstration.views) == ("views" in demonstration.plots)


def test_an_act_lasts_until_the_next_one() -> None:
    segway = DEMONSTRATIONS["segway"]
    assert [segway.act(time) for time in (0.0, 5.9, 6.0, 13.0, 20.0)] == [
        "balances", "balances", "leans back", "brakes", "balances"
    ]  # fmt: skip
    assert DEMONSTRATIONS["car"].act(3.0) == ""


def test_a_robot_without_a_demonstration() -> None:
    with pytest.raises(UberSimError, match="no demonstration of 'tank'; known are aibo, car, "):
        demo("tank")


def shorten(monkeypatch: pytest.MonkeyPatch, robot: str, shorter: Demonstration) -> None:
    monkeypatch.setitem(DEMONSTRATIONS, robot, shorter)


def test_a_robot_that_drives_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shorten(monkeypatch, "ssl", replace(DEMONSTRATIONS["ssl"], seconds=0.4, film=(0.0, 0.2)))
    demo("ssl", tmp_path)
    said = capfd.readouterr().out
    for line in (
        "worlds/ssl_9x6.xml",
        "400 of 1 ms",
        "Its program says: never reached the ball",
        "Its way: ",
        "Film: ",
    ):
        assert line in said
    assert (tmp_path / "ssl.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "ssl.gif").read_bytes().startswith(b"GIF89a")
    assert b"ftyp" in (tmp_path / "ssl.mp4").read_bytes()[:12]
    assert not (tmp_path / "ssl.csv").exists()


def test_a_robot_that_balances_and_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shorter = replace(DEMONSTRATIONS["segway"], seconds=1.4, film=(0.9, 1.2), views=range(1, 2))
    shorten(monkeypatch, "segway", shorter)
    demo("segway", tmp_path)
    said = capfd.readouterr().out
    for line in ("It stood all the time.", "Tilt, command, speed: ", "Its own view, and from outside: ", "Film: "):
        assert line in said
    assert len((tmp_path / "segway.csv").read_text().splitlines()) == 141  # a reading every 10 ms, and a head
    for picture in ("segway.png", "segway_views.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "segway.gif").read_bytes().startswith(b"GIF89a")
