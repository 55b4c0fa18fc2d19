"""What a browser keeps of the page, to find it so when it opens it again: what is chosen, ticked, kept, looked at."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from ubersim.viewer.page import Page

_BETWEEN = 0.5
"""Between two messages to browsers [s]."""

Getter = Callable[[], Any]
Setter = Callable[[Any], None]


class Choices:
    """Values by name. Browsers are told them; the first that comes to a page nobody has touched yet sets them."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._values: dict[str, tuple[Getter, Setter]] = {}
        self._fresh = True
        self._dirty = False
        self._number = time.time_ns()  # a browser that was there before knows by it that this page is a new one
        self._told = -_BETWEEN
        self._element = page.gui.add_html("")
        page.routes.on("restore", self._asked)
        self._tell()

    def add(self, name: str, get: Getter, set_: Setter) -> None:
        """One more; `set_` gets what `get` returned once, or anything: it comes from a browser."""
        self._values[name] = get, set_

    def track(self, name: str, control: Any) -> None:
        """A box, a menu or a number of the page."""

        def restore(value: Any) -> None:
            fits = value in control.options if hasattr(control, "options") else isinstance(value, type(control.value))
            if fits:
                control.value = value

        self.add(name, lambda: control.value, restore)
        control.on_update(lambda event: self.changed() if event.client is not None else None)

    def changed(self) -> None:
        """Something was chosen by hand."""
        self._fresh, self._dirty = False, True

    def catch_up(self) -> None:
        """Tells browsers what has changed, not too often."""
        if self._dirty and time.monotonic() - self._told >= _BETWEEN:
            self._tell()

    def restore(self, values: Mapping[str, Any]) -> None:
        """As they were once; what does not fit any more is left out."""
        for name, (_, set_) in self._values.items():
            if name in values:
                try:
                    set_(values[name])
                except (KeyError, TypeError, ValueError):
                    continue
        self.changed()

    def _asked(self, arguments: Mapping[str, str]) -> None:
        values = json.loads(arguments["choices"])
        if not isinstance(values, dict):
            raise ValueError("choices are an object")
        self._page.later(lambda: self.restore(values) if self._fresh else None)

    def _tell(self) -> None:
        self._told, self._dirty = time.monotonic(), False
        values = json.dumps({name: get() for name, (get, _) in self._values.items()})
        fresh = "yes" if self._fresh else "no"
        self._element.content = (
            f'<div id="us-choices" data-page="{self._number}" data-fresh="{fresh}"'
            f' data-choices="{escape(values)}" hidden></div>'
        )
