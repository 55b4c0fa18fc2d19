"""The score board of the live page: there while a match is on, and not else."""

from __future__ import annotations

import pytest

from tests.helpers.serving import Serving
from tests.league.robots import box
from ubersim.client.supervisor import supervise
from ubersim.league.referee import Referee
from ubersim.simulation import Simulation
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.layout import PageLayout
from ubersim.viewer.page import Page
from ubersim.viewer.score_board import ScoreBoard, board_text


def test_the_board_says_how_it_stands() -> None:
    match = {
        "home": "Blue",
        "away": "Red",
        "score": [2, 1],
        "half": 2,
        "left": 65.9,
        "state": "play",
        "latest": "corner",
    }
    assert board_text(match) == "## Blue 2 : 1 Red\nhalf 2, 1:05 left, play\n\ncorner"


@pytest.mark.parametrize("refereed", [True, False])
def test_it_is_there_while_a_match_is_on(refereed: bool) -> None:
    simulation = Simulation("msl_12x8")
    simulation.spawn(box("A", "home"))
    if refereed:
        Referee(simulation)
    serving, page = Serving(simulation, None, clients=0), Page()
    try:
        with supervise(port=serving.port) as boss:
            board = ScoreBoard(page, PageLayout(page), CommandWorker(boss, page.show_error))
            board._ask(boss)
            page.catch_up()
            assert (board._text is not None) == refereed
            if refereed:
                assert board._text.content.startswith("## home 0 : 0 away")
    finally:
        page.stop()
        serving.server.stop()
        serving.result()
