"""The score board of the page, while a match is on, and a menu of players that live inside the server."""

from __future__ import annotations

import time
from importlib.metadata import entry_points
from typing import Any

from ubersim.client.supervisor import Supervisor
from ubersim.description.resources import shipped
from ubersim.errors import UberSimError
from ubersim.protocol.document_settings import with_settings
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.layout import PageLayout
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page

EVERY = 0.5
"""Seconds of real time from look to look."""
ROBOTS = ("msl_omni", "ssl")
"""Those that the players know who come along."""


class ScoreBoard:
    """Asks the referee how the match stands; where there is none, it asks once, and nothing is shown."""

    def __init__(self, page: Page, layout: PageLayout, worker: CommandWorker) -> None:
        self._page, self._layout, self._worker = page, layout, worker
        self._next = 0.0
        self._text: Any = None
        self._stopped: Any = None

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left: perhaps a match has begun."""
        self._next = min(self._next, time.monotonic())

    def show(self, model: SceneModel, truth: GroundTruth) -> None:
        """Looks again, if it is time to."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY
            self._worker.do(self._ask, "score")

    def _ask(self, supervisor: Supervisor) -> None:
        """In the worker's thread."""
        try:
            match, players = supervisor.referee(), supervisor.player()
        except UberSimError:
            self._next = float("inf")
            return
        self._page.later(lambda: self._tell(match, players))

    def _tell(self, match: dict[str, Any], players: list[str]) -> None:
        if self._text is None:
            with self._layout.score():
                self._text = self._page.gui.add_markdown("")
                self._add_menu()
        text = board_text(match)
        if self._text.content != text:
            self._text.content = text
        options = tuple(players) or ("",)
        if self._stopped.options != options:
            self._stopped.options = options

    def _add_menu(self) -> None:
        gui = self._page.gui
        names = tuple(sorted(point.name for point in entry_points(group="ubersim.players")))
        with gui.add_folder("Players", expand_by_default=False):
            player, robot = gui.add_dropdown("player", names), gui.add_dropdown("robot", ROBOTS)
            name = gui.add_text("name", "Guest")
            start = gui.add_button("Start")
            self._stopped = gui.add_dropdown("playing", ("",))
            stop = gui.add_button("Stop")

        def begin(supervisor: Supervisor) -> None:
            document = with_settings(shipped(f"robots/{robot.value}.xml").read_text(), name=name.value)
            supervisor.player("start", player.value, document)

        start.on_click(lambda _: self._worker.do(begin))
        stop.on_click(lambda _: self._worker.do(lambda boss: boss.player("stop", name=self._stopped.value)))


def board_text(match: dict[str, Any]) -> str:
    """The board, as Markdown."""
    left, (home, away) = int(match["left"]), match["score"]
    clock = f"half {match['half']}, {left // 60}:{left % 60:02d} left, {match['state']}"
    return f"## {match['home']} {home} : {away} {match['away']}\n{clock}\n\n{match['latest']}"
