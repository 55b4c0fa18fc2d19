"""Keys, mouse and gamepad of the browser go to the program that asks for them; only while one does, and if allowed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from ubersim.protocol.inputs import INPUTS
from ubersim.protocol.parameters import LONGEST_TEXT
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.page import Page
from ubersim.viewer.routes import Document

LEAVE_GO = 2.0
"""If a browser says nothing for so long while something is held, it is taken as let go [s]."""


class PageInputs:
    """What a browser tells reaches the selected robot, if its program asks; else the first one that does."""

    def __init__(self, page: Page, worker: CommandWorker, selected: Callable[[], str]) -> None:
        """`selected`: the robot that is selected at the page."""
        self._worker = worker
        self._selected = selected
        self._asking: dict[str, list[str]] = {}
        self._lock = threading.Lock()
        self._told: dict[tuple[str, str], str] = {}
        self._heard = 0.0
        self._place = page.gui.add_folder("Keys, mouse, gamepad", visible=False)
        with self._place:
            self._allowed: Any = page.gui.add_checkbox("To the program", True)
            self._marker: Any = page.gui.add_html("")
        page.routes.on("input", self._input)

    def show(self, declared: Mapping[str, Mapping[str, Any]]) -> None:
        """What programs have declared now."""
        asking = {robot: [name for name in INPUTS if name in these] for robot, these in declared.items()}
        asking = {robot: names for robot, names in asking.items() if names}
        if asking != self._asking:
            self._asking = asking
            self._place.visible = bool(asking)
            wanted = sorted({name.lower() for names in asking.values() for name in names})
            said = ", ".join(f"{robot}: {', '.join(names).lower()}" for robot, names in asking.items())
            self._marker.content = (
                f'<div id="us-inputs" data-wanted="{" ".join(wanted)}">{said}</div>' if asking else ""
            )

    def catch_up(self) -> None:
        """Lets go of everything if the browser has gone."""
        with self._lock:
            held = [key for key, text in self._told.items() if text]
            if not held or time.monotonic() < self._heard + LEAVE_GO:
                return
        for robot, name in held:
            self._tell(robot, name, "")

    def _input(self, values: Mapping[str, str]) -> Document | None:
        """A browser says what is held now."""
        robot = self._selected()
        if robot not in self._asking:
            robot = next(iter(self._asking), "")
        self._heard = time.monotonic()
        for name in self._asking.get(robot, ()):
            text = values.get(name.lower())
            if text is not None and len(text) <= LONGEST_TEXT and self._allowed.value:
                self._tell(robot, name, text)
        return None

    def _tell(self, robot: str, name: str, text: str) -> None:
        with self._lock:
            if self._told.get((robot, name), "") == text:
                return
            self._told[robot, name] = text
        self._worker.do(lambda world: world.set_parameter(robot, name, text), (robot, name))
