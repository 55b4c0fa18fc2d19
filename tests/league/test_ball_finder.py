"""A player that looks at rendered pictures finds the ball where it is."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.paths import ROOT
from ubersim.league.equipment import Equipment, equipped
from ubersim.league.players.ball_finder import BallFinder
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions


@pytest.mark.parametrize("ball", [(0.0, 1.0), (-1.5, 0.5), (1.0, -2.0)])
def test_it_is_where_it_is_seen(ball: tuple[float, float]) -> None:
    kit = Equipment("R", "red", 1, (0.0, 0.0), 0.0, level="image", wheels="contact", picture=400, frequency=15.0)
    with Simulation("msl_12x8") as simulation:
        robot = simulation.spawn(equipped((ROOT / "robots" / "msl_omni.xml").read_text(), kit, ["R"]))
        Interventions(simulation).execute("Teleport", {"thing": "Ball", "position": (*ball, 0.11)})
        simulation.step(180)
        picture = robot.read("OmniCam")
    assert isinstance(picture, np.ndarray)
    found = BallFinder(400, 400).find(picture)
    assert found is not None
    assert np.hypot(found[0] - ball[0], found[1] - ball[1]) < 0.1 * np.hypot(*ball) + 0.1
