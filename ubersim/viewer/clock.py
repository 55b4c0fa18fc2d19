"""Simulated time: shown, paused, stepped, reset, and at which rate it goes."""

from __future__ import annotations

import time
from typing import Any

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.page import Page

RATES = {"as fast as it goes": 0.0, "0.1 ×": 0.1, "0.25 ×": 0.25, "0.5 ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "5 ×": 5.0}
_SPAN = 1.0
"""Over which the real-time factor is measured [s]."""


class Clock:
    """The top of the panel."""

    def __init__(self, page: Page, worker: CommandWorker, *, resets: bool = True) -> None:
        """`resets`: whether everything can be put back to its beginning."""
        self._worker = worker
        self._status = page.gui.add_markdown("")
        buttons = page.gui.add_button_group("Time", ("Play", "Pause", "Step", "Reset")[: 4 if resets else 3])
        self._frames = page.gui.add_number("Step [frames]", 10, min=1, max=1_000_000, step=1)
        self._rates = dict(RATES)
        self._rate: Any = page.gui.add_dropdown("Real time", tuple(RATES))
        self._rate.on_update(self._pick_rate)
        buttons.on_click(lambda _: self._press(buttons.value))
        self._begun = time.monotonic(), 0.0
        self._factor = 0.0

    def set_rate(self, rate: float) -> None:
        """Shows at which rate the server goes, which may be one that the menu did not offer."""
        name = next((name for name, value in self._rates.items() if value == rate), None)
        if name is None:
            name = f"{rate:g} ×"
            self._rates[name] = rate
            self._rate.options = tuple(self._rates)
        if self._rate.value != name:
            self._rate.value = name

    def _pick_rate(self, event: Any) -> None:
        if event.client is not None:  # a browser, not `set_rate`
            rate = self._rates[self._rate.value]
            self._worker.do(lambda world: world.rate(rate), "rate")

    def _press(self, button: str) -> None:
        frames = int(self._frames.value)
        actions: dict[str, Any] = {
            "Play": lambda world: world.resume(),
            "Pause": lambda world: world.pause(),
            "Step": lambda world: world.step(frames),
            "Reset": lambda world: world.reset(),
        }
        self._worker.do(actions[button])

    def show(self, truth: GroundTruth) -> None:
        """Another instant."""
        now, (since, then) = time.monotonic(), self._begun
        if now - since >= _SPAN or truth.time < then:
            self._factor = max(0.0, (truth.time - then) / max(now - since, 1e-9))
            self._begun = now, truth.time
        speed = "**stands still**" if truth.standing else f"**{self._factor:.2f} ×** real time"
        robots = len(truth.legend["robots"])
        count = f"{robots} robot{'' if robots == 1 else 's'}"
        self._status.content = f"**{truth.time:.3f} s** · frame {truth.frame} · {speed} · {count}"
