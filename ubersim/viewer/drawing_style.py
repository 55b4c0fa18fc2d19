"""How the world is drawn: as wireframes or not, and without the bodies that are hidden."""

from __future__ import annotations

from typing import Any

from ubersim.viewer.choices import Choices
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.meshes import SceneMeshes
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page


class DrawingStyle:
    """A part of the page's View tab."""

    def __init__(self, page: Page, inspector: Inspector, meshes: SceneMeshes, choices: Choices) -> None:
        self._inspector, self._meshes = inspector, meshes
        self._model: SceneModel | None = None
        self._hidden: set[str] = set()
        self._absent: frozenset[int] = frozenset()
        wireframe: Any = page.gui.add_checkbox("Wireframe", False)
        wireframe.on_update(lambda _: page.later(lambda: meshes.show(wireframe=wireframe.value)))
        choices.track("wireframe", wireframe)
        hide = page.gui.add_button_group("Chosen", ("Hide body", "Hide all of it", "Show everything"))
        hide.on_click(lambda _: page.later(lambda: self._hide(hide.value)))

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left; what was hidden stays so."""
        self._model = model
        self._hide()

    def set_absent(self, rows: frozenset[int]) -> None:
        """Bodies that are not there now are not drawn, either."""
        if rows != self._absent:
            self._absent = rows
            self._hide()

    def _hide(self, what: str = "") -> None:
        if self._model is None:
            return
        if what == "Hide body":
            self._hidden.add(self._inspector.body)
        elif what == "Hide all of it":
            self._hidden |= {self._model.bodies[row] for row in self._model.rows(self._inspector.entity)}
        elif what:
            self._hidden.clear()
        rows = (row for row, body in enumerate(self._model.bodies) if body in self._hidden)
        self._meshes.show(hidden=frozenset(rows) | self._absent)
