"""A real server, a real live page, and a client that presses its buttons."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.helpers.page_client import PageClient, control
from tests.helpers.waiting import until
from ubersim.client.supervisor import Supervisor
from ubersim.viewer.graphs import Graphs
from ubersim.viewer.live import Live
from ubersim.viewer.page import Page
from ubersim.viewer.player import Player
from ubersim.viewer.selection import Kind, Selection

ROBOTS = {"Pioneer": "pioneer", "Car": "car", "Humanoid": "humanoid", "Segway": "segway"}
"""A scanner, drives with several joints, joints with two axes, a camera."""


@dataclass
class Stage:
    """Everything that a test here needs."""

    world: Supervisor
    page: Page
    live: Live
    client: PageClient
    port: int

    def press(self, label: str, value: object) -> None:
        """Sets a control, as in a browser."""
        self.client.set(control(self.page, label), value)

    def select(self, robot: str, kind: Kind = "Robot", part: str = "") -> None:
        """Picks a robot, one of its parts, or an object in the tree."""
        choice = Selection(kind, robot, part)
        until(lambda: self.live.inspector._model is not None and self.live.inspector._model.has(choice))
        self.client.ask("pick", key=choice.key)
        until(lambda: self.live.inspector.choice == choice)

    def names(self, robot: str, kind: Kind) -> list[str]:
        """Of a robot's parts, as the tree has them."""
        model = self.live.inspector._model
        return [] if model is None or robot not in model.robots else model.names(robot, kind)

    @property
    def tree(self) -> str:
        """As HTML."""
        return str(self.live.inspector._tree.content)

    @property
    def text(self) -> str:
        """Of the detail."""
        shown = self.live.inspector.text
        return "" if shown is None else str(shown.content)

    def says(self, words: str) -> bool:
        """Whether the panel has these words."""
        return words in self.text

    def robot(self, name: str) -> dict[str, Any]:
        """As the server describes it."""
        about: dict[str, Any] = self.world.scene()["robots"][name]
        return about


def is_current(graphs: Graphs, choice: Selection) -> bool:
    """Whether the graph of what is chosen is this one."""
    return graphs._current is not None and graphs._current.choice == choice


def is_kept(graphs: Graphs, choice: Selection) -> bool:
    """Whether it is among those that stay."""
    return choice in graphs.kept


def is_followed(stage: Stage, robot: str) -> bool:
    """Whether browsers are told to go along with this robot, and where it is."""
    node: Any = stage.page.scene.get_handle_by_name("/followed")
    return node is not None and bool(np.linalg.norm(node.position - stage.world.truth()[robot].position) < 0.1)


def points(stage: Stage, name: str) -> Any:
    """Of a node of the scene."""
    node: Any = stage.page.scene.get_handle_by_name(name)
    return np.empty((0, 3)) if node is None or not node.visible else np.asarray(node.points)


@contextlib.contextmanager
def played(page: Page, player: Player) -> Iterator[None]:
    """A log's page comes to life, and stops after that."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    def play() -> None:
        with contextlib.suppress(KeyboardInterrupt):
            player.run()

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    yield
    page.later(interrupt)
    thread.join(60)
    page.stop()  # nobody updates it any more
