"""Two programs of different languages on one team, over TCP, through a whole half."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.helpers.paths import ROOT
from ubersim.league.match import play, set_up
from ubersim.league.match_file import match_from

EXAMPLE, CLIENT = ROOT / "examples" / "league", ROOT / "clients" / "c"


def test_python_and_c_play_together(tmp_path: Path) -> None:
    for name in ("chase.py", "team.yaml"):
        shutil.copy(EXAMPLE / name, tmp_path)
    sources = [str(EXAMPLE / "chase.c"), str(CLIENT / "ubersim.c"), "-lm", "-o", str(tmp_path / "chase")]
    subprocess.run(["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-I", str(CLIENT), *sources], check=True)
    given = {
        "world": "msl_12x8",
        "step": 0.005,
        "rules": {"half": 3.0, "halves": 1, "ready": 0.2},
        "home": ".",
        "away": {"name": "Red", "player": "goalkeeper", "count": 1, "level": "objects", "wheels": "contact"},
    }
    digests = []
    for _ in range(2):
        result = play(set_up(match_from(given, tmp_path)))
        assert result.ended == {} and result.rulings[-1][1].kind == "over"
        ways = {line.split()[0]: float(line.split()[2]) for line in result.table.splitlines()[1:]}
        assert ways["Mixed1"] > 0.5 and ways["Mixed2"] > 0.5, "both have run after the ball"
        digests.append(result.digest)
    assert digests[0] == digests[1]
