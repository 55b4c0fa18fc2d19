"""Where each browser's camera is, told to that browser, which begins there when it loads the page again."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from ubersim.viewer.page import Page

_BETWEEN = 0.5
"""Between two messages to browsers [s]."""


class KeptCameras:
    """Every tab has a camera of its own; one that the page itself leads is not kept."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._elements: dict[int, Any] = {}
        self._told = -_BETWEEN

    def catch_up(self, *, led: bool) -> None:
        """Tells browsers what has changed, not too often; `led`: the page moves their cameras."""
        if time.monotonic() - self._told < _BETWEEN:
            return
        self._told = time.monotonic()
        clients = self._page.get_clients()
        self._elements = {number: self._elements[number] for number in self._elements.keys() & clients.keys()}
        for number, client in clients.items():
            vectors = () if led else (client.camera.position, client.camera.look_at)
            place = json.dumps([np.asarray(vector, dtype=float).round(4).tolist() for vector in vectors])
            content = f'<div id="us-camera" data-camera="{place}" hidden></div>'
            if number not in self._elements:
                self._elements[number] = client.gui.add_html(content)
            elif self._elements[number].content != content:
                self._elements[number].content = content
