"""The frames of a log that a server replays: a slider, and steps in both directions."""

from __future__ import annotations

from typing import Any

from ubersim.client.supervisor import Supervisor
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.page import Page

STEPS = {"−100": -100, "−1": -1, "+1": 1, "+100": 100}
"""Frames."""


class LogTimeline:
    """It is there only if the server says that it replays a log."""

    def __init__(self, page: Page, worker: CommandWorker) -> None:
        self._page, self._worker = page, worker
        self._place = page.gui.add_folder("Log", visible=False)
        self._slider: Any = None
        self._ends = 0, 0
        self._frame = 0
        self._wanted: int | None = None
        """Where the server is told to go; until it is there, older instants that still come do not count."""

    def set_ends(self, ends: list[int] | None) -> None:
        """The first and the last frame of the log; None: it is none."""
        if ends is None or self._slider is not None:
            return
        self._place.visible = True
        first, last = self._ends = ends[0], ends[1]
        with self._place:
            self._slider = self._page.gui.add_slider("Frame", first, max(last, first + 1), 1, first)
            steps = self._page.gui.add_button_group("Step", tuple(STEPS))
        self._slider.on_update(self._moved)
        steps.on_click(lambda _: self._step(STEPS[steps.value]))

    def show(self, truth: GroundTruth) -> None:
        """Another instant."""
        if self._wanted is not None:
            return
        self._frame = truth.frame
        if self._slider is not None and self._slider.value != truth.frame:
            self._slider.value = min(max(truth.frame, self._ends[0]), self._ends[1])

    def _moved(self, event: Any) -> None:
        if event.client is not None:  # a browser has moved it, not `show`
            self._seek(int(self._slider.value))

    def _step(self, frames: int) -> None:
        self._worker.do(lambda world: world.pause())
        self._seek(self._frame + frames)

    def _seek(self, frame: int) -> None:
        first, last = self._ends
        to = self._frame = self._wanted = min(max(frame, first), last)
        self._worker.do(lambda world: self._go(world, to), "seek")

    def _go(self, world: Supervisor, to: int) -> None:
        try:
            world.seek(to)
        finally:
            if self._wanted == to:
                self._wanted = None
