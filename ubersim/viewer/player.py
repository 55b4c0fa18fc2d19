"""A log on the page: forwards, backwards, faster, slower, frame by frame."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

from ubersim.errors import UberSimError
from ubersim.recording.log import Log
from ubersim.viewer.cameras import Cameras
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.log_source import LogSource
from ubersim.viewer.meshes import SceneMeshes
from ubersim.viewer.model import SceneModel
from ubersim.viewer.overlays import Overlays
from ubersim.viewer.page import Page

HERTZ = 30.0
REFRESH = 0.2
"""After so long a page that stands still is brought up to date: something else may have been picked [s]."""
SPEEDS = {"¼ ×": 0.25, "½ ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0, "16 ×": 16.0}
MOST_PICTURES = 5000
"""In a page that is one file."""
RATE = 25.0
"""Pictures per second in it."""


class Player:
    """A timeline, and everything where it was then."""

    def __init__(self, page: Page, source: LogSource) -> None:
        self._page = page
        self._source = source
        self._now = source.begin
        self._direction = 1
        self._shown = math.nan
        self._looked = -math.inf
        self._model = SceneModel(source.legend, source.scene, stamp="delivered")
        self._meshes = SceneMeshes(page, lambda row: page.later(lambda: self._picked(row)))
        self._status = page.gui.add_markdown("")
        step = max(source.step, (source.end - source.begin) / 10_000)
        end = max(source.end, source.begin + step)
        self._timeline: Any = page.gui.add_slider("Time [s]", source.begin, end, step, source.begin)
        self._timeline.on_update(self._moved)
        buttons = page.gui.add_button_group("Play", ("◀ Back", "Stop", "Play ▶"))
        buttons.on_click(lambda _: page.later(lambda: self._press(buttons.value)))
        steps = page.gui.add_button_group("Step", ("−1 frame", "+1 frame", "−0.1 s", "+0.1 s"))
        steps.on_click(lambda _: page.later(lambda: self._step(steps.value)))
        self._speed = page.gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1 ×")
        tabs = page.gui.add_tab_group()
        with tabs.add_tab("Robots"):
            self._inspector = Inspector(page, None)
        with tabs.add_tab("View"):
            self._cameras = Cameras(page, self._inspector)
            self._overlays = Overlays(page, self._inspector, touches=False)
            wireframe = page.gui.add_checkbox("Wireframe", False)
            wireframe.on_update(lambda _: page.later(lambda: self._meshes.show(wireframe=wireframe.value)))
        set_up(page, self._meshes, source)
        self._inspector.set_model(self._model)

    def run(self) -> None:
        """Plays until it is interrupted."""
        before = time.monotonic()
        while True:
            self._page.catch_up()
            now = time.monotonic()
            self._go(self._now + self._direction * SPEEDS[self._speed.value] * (now - before))
            before = now
            if self._now != self._shown or now - self._looked > REFRESH:
                self._looked = now
                self._show()
            time.sleep(max(0.0, 1 / HERTZ - (time.monotonic() - now)))

    def _show(self) -> None:
        self._shown = self._now
        truth, absent = self._source.at(self._now, {*self._overlays.sensors(self._model), self._inspector.sensor})
        with self._page.atomic():
            self._meshes.show(hidden=absent)
            self._meshes.paint(self._source.colors(self._now))
            self._meshes.move(truth.positions, truth.quaternions)
            self._overlays.show(self._model, truth)
        self._timeline.value = self._now
        self._status.content = f"**{truth.time:.3f} s** · frame {truth.frame} · of {self._source.end:.3f} s"
        self._inspector.show(truth)
        self._cameras.show(self._model, truth)

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
            self._page.later(lambda: self._jump(float(self._timeline.value)))

    def _jump(self, to: float) -> None:
        self._direction = 0
        self._go(to)

    def _picked(self, row: int) -> None:
        entity, _, body = self._model.bodies[row].partition("/")
        self._inspector.pick(entity, body or entity)


def set_up(page: Page, meshes: SceneMeshes, source: LogSource) -> None:
    """The scene as it was in the beginning."""
    truth, absent = source.at(source.begin)
    page.set_surroundings(source.scene)
    meshes.build(source.scene)
    meshes.show(hidden=absent)
    meshes.move(truth.positions, truth.quaternions)
    present = [row for row, body in enumerate(truth.legend["bodies"]) if "/" in body and row not in absent]
    if present:
        page.look_at(truth.positions[present[0]])


def play(file: Path, port: int) -> None:
    """`ubersim replay --view`."""
    with Log(file) as log:
        page = Page(port, title=f"ÜberSim · {file.name}")
        player = Player(page, LogSource(log))
        print(f"page at {page.address}", flush=True)
        try:
            player.run()
        except KeyboardInterrupt:
            pass
        finally:
            page.stop()


def write_page(file: Path, out: Path) -> float:
    """`ubersim replay --html`: one file that plays the log in any browser, alone. Returns pictures per second."""
    with Log(file) as log:
        source = LogSource(log)
        seconds = max(source.end - source.begin, source.step)
        rate = min(RATE, MOST_PICTURES / seconds)
        page = Page(0)
        meshes = SceneMeshes(page)
        set_up(page, meshes, source)
        recording = page.get_scene_serializer()
        absent: frozenset[int] | None = None
        for number in range(math.floor(seconds * rate) + 1):
            truth, now_absent = source.at(source.begin + number / rate)
            if now_absent != absent:
                absent = now_absent
                meshes.show(hidden=absent)
            meshes.paint(source.colors(source.begin + number / rate))
            meshes.move(truth.positions, truth.quaternions)
            recording.insert_sleep(1 / rate)
        text = recording.as_html()
        page.stop()
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UberSimError(f"cannot write {out}: {error.strerror}") from None
    return rate
