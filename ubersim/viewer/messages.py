"""What programs log, on the page: a pane of messages with history and filter, numbers as curves, pictures, drawings."""

from __future__ import annotations

import html
import io
import time
from collections import deque
from typing import Any

import numpy as np
from PIL import Image

from ubersim.protocol.log_entries import DRAWING, IMAGE, LEVELS, NUMBER, POINTS, TEXT, VECTOR, LogEntry
from ubersim.protocol.quantity import Quantity
from ubersim.viewer.charts import MOST_CURVES, UnitCurves
from ubersim.viewer.drawings import LARGEST_PICTURE
from ubersim.viewer.logged_drawings import LoggedDrawings
from ubersim.viewer.page import Page, sendable
from ubersim.viewer.traces import Traces

HISTORY = 1000
"""Messages that are kept, of all robots together."""
SHOWN = 40
"""Messages that the pane shows, the newest of those that pass the filter."""
_EVERY = 0.25
"""How often the pane is written anew [s]."""
COLORS = {"debug": "#616973", "info": "inherit", "warning": "#8a5a00", "error": "#b3261e", "fatal": "#b3261e"}
NOTHING = "nothing"

Line = tuple[float, str, str, str, str]
"""Time [s], robot, name, level, text."""


class MessagePane:
    """History and filter belong to the page: what a filter hides is there when the filter changes."""

    def __init__(self, page: Page, drawings: LoggedDrawings) -> None:
        self._page = page
        self._drawings = drawings
        self._lines: deque[Line] = deque(maxlen=HISTORY)
        self._stale, self._next = False, 0.0
        self._curves: UnitCurves | None = None
        self._traces = Traces(())
        self._plotted = ""
        self._newest: dict[str, LogEntry] = {}
        self._picture: Any = None
        self._place = page.gui.add_folder("What programs say", visible=False)
        with self._place:
            self._filter: Any = page.gui.add_text("Only with", "", hint="Words of the robot, the name or the text.")
            self._level: Any = page.gui.add_dropdown("From level", LEVELS, initial_value="info")
            self._text: Any = page.gui.add_html("")
            self._choice: Any = page.gui.add_dropdown("Show", (NOTHING,), initial_value=NOTHING)
            self._view = page.gui.add_folder(None)
        for control in (self._filter, self._level):
            control.on_update(lambda _: page.later(self._refresh))
        self._choice.on_update(lambda _: page.later(self._choose))

    def take(self, robot: str, seconds: float, entry: LogEntry) -> None:
        """Something was logged."""
        self._place.visible = True
        key = f"{robot}/{entry.name}"
        if entry.kind == TEXT:
            self._lines.append((seconds, robot, entry.name, entry.level, str(entry.value)))
            self._stale = True
        elif entry.kind in (POINTS, DRAWING):
            self._drawings.take(robot, entry)
        else:
            if key not in self._newest:
                self._choice.options = (NOTHING, *sorted([*self._newest, key]))
            self._newest[key] = entry
            if key == self._choice.value:
                self._show(key, seconds, entry)

    def clear(self) -> None:
        """Forgets what was said: time is another."""
        self._lines.clear()
        self._stale = True

    def catch_up(self) -> None:
        """Writes the pane anew, if there is something new and it is time."""
        if self._stale and time.monotonic() >= self._next:
            self._refresh()

    def lines(self) -> list[Line]:
        """Those that pass the filter, oldest first."""
        words, least = str(self._filter.value).lower().split(), LEVELS.index(self._level.value)
        return [
            line
            for line in self._lines
            if LEVELS.index(line[3]) >= least and all(word in " ".join(line[1:]).lower() for word in words)
        ]

    def _refresh(self) -> None:
        self._stale, self._next = False, time.monotonic() + _EVERY
        if self._curves is not None:
            self._curves.draw()
        rows = "".join(
            f'<div style="color:{COLORS[level]}">{seconds:.3f} <b>{html.escape(sendable(robot))}</b> '
            f"{html.escape(name)}: {html.escape(sendable(text[:500]))}</div>"
            for seconds, robot, name, level, text in reversed(self.lines()[-SHOWN:])
        )
        self._text.content = (
            f'<div style="font: 11px monospace; padding: 0 0.75em; max-height: 24em; overflow-y: auto">{rows}</div>'
        )

    def _choose(self) -> None:
        """Another number or picture is wanted."""
        self._plotted, self._curves, self._picture = "", None, None
        self._view.remove()
        with self._place:
            self._view = self._page.gui.add_folder(None)

    def _show(self, key: str, seconds: float, entry: LogEntry) -> None:
        if entry.kind == IMAGE:
            self._show_picture(entry.value)
        elif entry.kind in (NUMBER, VECTOR):
            values = np.atleast_1d(entry.value)[:MOST_CURVES]
            if self._curves is None or self._plotted != f"{key} {len(values)}":
                self._choose()
                self._plotted = f"{key} {len(values)}"
                names = [entry.name] if len(values) == 1 else [f"{entry.name}[{i}]" for i in range(len(values))]
                with self._view:
                    self._traces = Traces(tuple(Quantity(name, "") for name in names))
                    self._curves = UnitCurves(self._page, self._traces)
            self._traces.at(seconds)
            for place, value in enumerate(values.tolist()):
                self._traces.add(place, seconds, value)
            self._stale = True

    def _show_picture(self, data: bytes) -> None:
        try:
            with Image.open(io.BytesIO(data)) as opened:
                if opened.width * opened.height > LARGEST_PICTURE:
                    return
                pixels = np.asarray(opened.convert("RGB"))
        except Exception:  # whatever a client has sent, the page goes on
            return
        if self._picture is None:
            with self._view:
                self._picture = self._page.gui.add_image(pixels, format="jpeg")
        else:
            self._picture.image = pixels
