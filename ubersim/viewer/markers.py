"""Lines, points, arrows and texts in the scene. A node is changed, not made anew, which is cheaper for browsers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.viewer.page import Page

Array = NDArray[np.float64]
Color = tuple[int, int, int]


class Markers:
    """Each marker has a name, which is its path in the scene; an empty one is hidden."""

    def __init__(self, page: Page) -> None:
        self._scene = page.scene
        self._nodes: dict[str, Any] = {}

    def lines(self, name: str, lines: Array, color: Color, width: float) -> None:
        """From point to point, (N, 2, 3) [m]."""
        self._set(name, lines, color, lambda: self._scene.add_line_segments(name, lines, color, thickness=width))

    def points(self, name: str, points: Array, color: Color, size: float) -> None:
        """(N, 3) [m]."""
        self._set(
            name, points, color,
            lambda: self._scene.add_point_cloud(
                name, points, color, point_size=size, point_shape="circle", precision="float32"
            ),
        )  # fmt: skip

    def arrows(self, name: str, arrows: Array, color: Color) -> None:
        """From foot to tip, (N, 2, 3) [m]."""
        self._set(name, arrows, color, lambda: self._scene.add_arrows(name, arrows, color))

    def text(self, name: str, text: str, at: Array) -> None:
        """At a place [m]."""
        if name in self._nodes:
            if self._nodes[name].text != text:
                self._nodes[name].text = text
            self._nodes[name].position = at
        else:
            self._nodes[name] = self._scene.add_label(name, text, position=at)

    def texts(self, root: str, texts: Mapping[str, tuple[str, Array]]) -> None:
        """All texts below a path: name, words, place. Those that are not named are removed."""
        names = {f"{root}/{name}": content for name, content in texts.items()}
        for name in [name for name in self._nodes if name.startswith(f"{root}/") and name not in names]:
            self._nodes.pop(name).remove()
        for name, (text, at) in names.items():
            self.text(name, text, at)

    def remove(self, root: str) -> None:
        """A marker, and all below it."""
        for name in [name for name in self._nodes if name == root or name.startswith(f"{root}/")]:
            self._nodes.pop(name).remove()

    def _set(self, name: str, places: Array, color: Color, make: Callable[[], Any]) -> None:
        node = self._nodes.get(name)
        if node is None:
            if len(places):
                self._nodes[name] = make()
            return
        if node.visible != bool(len(places)):
            node.visible = bool(len(places))
        if len(places):
            node.points = places.astype(np.float32)
            node.colors = np.array(color, np.uint8)
