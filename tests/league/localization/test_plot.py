"""The picture of a sensor map shows where a robot may be that sees what it would see at a pose."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from tests.league.localization.stage import grid, learned
from ubersim.league.localization.plot import beliefs, plot_map
from ubersim.picture_files import decode_picture


def test_the_pose_itself_is_the_most_probable() -> None:
    pose = (1.0, -2.0, math.pi / 3)
    found = beliefs(learned(), pose)
    assert list(found) == ["p given Laser", "p given Lines", "p given Cam", "p given all"]
    column, row, _ = np.unravel_index(grid().node(np.array(pose)), grid().shape)
    for values in found.values():
        assert values.shape == grid().shape[:2]
        assert values[column, row] == np.nanmax(values) == 1.0
    assert (found["p given all"] == 1.0).sum() == 1, "two posts and all beams leave no doubt"
    assert (found["p given Lines"] > 0.9).sum() > 1, "lines look alike from both sides"


def test_each_belief_has_a_cross_at_the_pose(tmp_path: Path) -> None:
    plot_map(learned(), (0.0, 0.0, 0.0), tmp_path / "map.png")
    picture = decode_picture((tmp_path / "map.png").read_bytes(), "png", (0, 0)).astype(int)
    crosses = np.abs(picture[..., :3] - (40, 39, 214)).max(axis=2) < 8
    assert not crosses[: len(crosses) // 2].any(), "expectations are above, without a pose"
    columns = np.flatnonzero(crosses.any(axis=0))
    assert (np.diff(columns) > 20).sum() == len(learned().models), "one cross per sensor, and one for all"
