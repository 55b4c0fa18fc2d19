"""Players by name, from modules and from files of their own; what is wrong with one is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from ubersim.errors import UberSimError
from ubersim.league.player import make_player
from ubersim.league.players.simple import Chaser

PLAYER = """
class Mine:
    def __init__(self, width=1.0, temper="calm"):
        self.width, self.temper = width, temper

    def sense_and_act(self, me):
        pass

class Nothing:
    pass
"""


def test_from_a_file_with_options_and_what_is_offered(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLAYER)
    made = make_player("mine.py:Mine", {"temper": "wild"}, tmp_path, {"width": 12.0, "height": 3.0})
    assert (made.temper, made.width) == ("wild", 12.0)  # type: ignore[attr-defined]
    assert isinstance(make_player("ubersim.league.players.simple:Chaser"), Chaser)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("nobody", "there is no player 'nobody'"),
        ("away.py:Mine", "there is no file"),
        ("mine.py:Yours", r"mine\.py has no class 'Yours'"),
        ("mine.py:Nothing", r"has no sense_and_act\(me\)"),
        ("torn.py:Mine", "cannot be had: ZeroDivisionError"),
        ("no.such.module:Mine", "cannot be had: ModuleNotFoundError"),
    ],
)
def test_what_is_no_player(tmp_path: Path, spec: str, reason: str) -> None:
    (tmp_path / "mine.py").write_text(PLAYER)
    (tmp_path / "torn.py").write_text("1 / 0")
    with pytest.raises(UberSimError, match=reason):
        make_player(spec, folder=tmp_path)


def test_options_that_it_does_not_take(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLAYER)
    with pytest.raises(UberSimError, match="does not take these options"):
        make_player("mine.py:Mine", {"speed": 1}, tmp_path)
