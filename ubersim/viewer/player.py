"""A log on the page: forwards, backwards, faster, slower, frame by frame."""

from __future__ import annotations

import math
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.recording.log import Log
from ubersim.viewer.drawings import Drawings
from ubersim.viewer.log_source import LogSource
from ubersim.viewer.logged_drawings import LoggedDrawings
from ubersim.viewer.messages import MessagePane
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.parameters import ParameterPanel
from ubersim.viewer.workspace import Workspace

HERTZ = 30.0
REFRESH = 0.2
"""After so long a page that stands still is brought up to date: something else may have been picked [s]."""
RECENT = 1.0
"""What programs said is shown from so long before the instant that is jumped to [s]."""
SPEEDS = {"¼ ×": 0.25, "½ ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0, "16 ×": 16.0}


class Player:
    """A timeline, and everything where it was then; it begins with the first frame, and stands still there."""

    def __init__(self, page: Page, source: LogSource) -> None:
        self._page = page
        self._source = source
        self._now = source.begin
        self._direction = 0
        self._wanted: float | None = None
        """Where a browser has put the timeline, until it is there."""
        self._told = source.begin
        self._shown = math.nan
        self._looked = -math.inf
        self._model = SceneModel(source.legend, source.scene, stamp=source.stamp)
        self._status = page.gui.add_markdown("")
        step = max(source.step, (source.end - source.begin) / 10_000)
        end = max(source.end, source.begin + step)
        self._timeline: Any = page.gui.add_slider("Time [s]", source.begin, end, step, source.begin)
        self._timeline.on_update(self._moved)
        buttons = page.gui.add_button_group("Play", ("◀ Back", "Stop", "Play ▶"))
        buttons.on_click(lambda _: page.later(lambda: self._press(buttons.value)))
        for label, ways in (("Step", ("−1 frame", "+1 frame")), ("Skip", ("−0.1 s", "+0.1 s"))):  # four would wrap
            self._add_steps(label, ways)
        self._speed = page.gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1 ×")
        self.workspace = Workspace(page, None)
        self.inspector = self.workspace.inspector
        with self.workspace.tabs.add_tab("View"):
            self.workspace.add_view(touches=False)
            self._drawings = Drawings(page)
        self._logged = LoggedDrawings(self._drawings, self.workspace.pictures)
        self._logged.set_model(self._model)
        with self.workspace.tabs.add_tab("Programs"):
            self.parameters = ParameterPanel(page, None, lambda: source.parameters(self._now))
            self.messages = MessagePane(page, self._logged)
        self._heard = source.begin - source.step
        self.workspace.choices.track("speed", self._speed)
        truth, absent = source.at(source.begin)
        self.workspace.set_scene(source.scene, self._model, truth)
        self.workspace.looks.set_absent(absent)
        if self._model.robots:
            self.workspace.aim_first_view(self._model, truth)

    def _add_steps(self, label: str, ways: tuple[str, ...]) -> None:
        buttons = self._page.gui.add_button_group(label, ways)
        buttons.on_click(lambda _: self._page.later(lambda: self._step(buttons.value)))

    def run(self) -> None:
        """Plays until it is interrupted."""
        before = time.monotonic()
        while True:
            self._page.catch_up()
            self.parameters.catch_up()
            now = time.monotonic()
            self._go(self._now + self._direction * SPEEDS[self._speed.value] * (now - before))
            before = now
            if self._now != self._shown or now - self._looked > REFRESH:
                self._looked = now
                self._show()
            time.sleep(max(0.0, 1 / HERTZ - (time.monotonic() - now)))

    def _show(self) -> None:
        standing = not self._direction
        sensors = {*self.workspace.wanted(self._model)["sensors"]}
        truth, absent = self._source.at(self._now, sensors, exact=standing)
        if standing:
            self._now = truth.time  # a whole frame
        self._shown = self._now
        with self._page.atomic():
            self.workspace.looks.set_absent(absent)
            self.workspace.meshes.paint(self._source.colors(self._now))
            self._page.lights.paint(self._source.lamps(self._now, absent))
            self.workspace.move(self._model, truth, absent)
        here = {robot for robot in self._model.robots if any(row not in absent for row in self._model.rows(robot))}
        self._hear(truth, here)
        self._put_timeline(truth.time)
        speed = "**stands still**" if standing else f"{self._direction * SPEEDS[self._speed.value]:g} ×"
        robots = f"{len(here)} robot{'' if len(here) == 1 else 's'}"
        self._status.content = (
            f"**{truth.time:.3f} s** of {self._source.end:.3f} s · frame {truth.frame} · {speed} · {robots}"
        )
        self.workspace.show(self._model, truth, at_once=standing)

    def _put_timeline(self, time: float) -> None:
        """Where it is now, unless it has been put there: what somebody types into its box would be replaced."""
        moved, self._told = time != self._told, time
        if moved and self._wanted is None and abs(self._timeline.value - time) > self._source.step / 2:
            self._timeline.value = time

    def _hear(self, truth: GroundTruth, here: Collection[str]) -> None:
        """What programs said since the instant before; after a jump, what they had drawn, and said in a second."""
        if not 0.0 <= self._now - self._heard <= RECENT:
            self.messages.clear()
            self._heard = self._now - RECENT
            for said in self._source.drawn(self._heard):
                self.messages.take(said.robot, said.time, said.entry)
        for said in self._source.said(self._heard, self._now):
            self.messages.take(said.robot, said.time, said.entry)
        self._heard = self._now
        self.messages.catch_up()
        self._logged.keep(here)
        self._drawings.draw()
        self._logged.show(self._model, truth)

    def _go(self, to: float) -> None:
        self._now = min(max(to, self._source.begin), self._source.end)
        if self._now != to:
            self._direction = 0

    def _press(self, button: str) -> None:
        self._direction = {"◀ Back": -1, "Stop": 0, "Play ▶": 1}[button]
        if self._direction > 0 and self._now >= self._source.end:
            self._now = self._source.begin

    def _step(self, button: str) -> None:
        self._direction = 0
        sign = -1 if button.startswith("−") else 1
        self._go(self._now + sign * (self._source.step if "frame" in button else 0.1))

    def _moved(self, event: Any) -> None:
        if event.client is not None:  # a browser has moved it, not `_show`
            to = self._wanted = float(self._timeline.value)
            self._page.later(lambda: self._arrive(to))

    def _arrive(self, to: float) -> None:
        self._jump(to)
        if self._wanted == to:
            self._wanted = None

    def _jump(self, to: float) -> None:
        self._direction = 0
        self._go(to)


def play(file: Path, port: int) -> None:
    """`ubersim replay --view`."""
    with Log(file) as log:
        page = Page(port, title=f"ÜberSim · {file.name}")
        try:
            player = Player(page, LogSource(log))
            print(f"page at {page.address}", flush=True)
            player.run()
        except KeyboardInterrupt:
            pass
        finally:
            page.stop()
