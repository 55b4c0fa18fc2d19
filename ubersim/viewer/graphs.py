"""Graphs: that of what is chosen, and those that are kept, several at once. Each can pause, and be saved."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

from ubersim.errors import UberSimError
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.layout import PageLayout
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.picture_drawings import PictureDrawings
from ubersim.viewer.routes import Document
from ubersim.viewer.selection import Selection
from ubersim.viewer.views import PartView, view_of

MOST = 12
"""Graphs that are kept at once."""
_EVERY = 3
"""A graph is drawn for every third instant: thirty times per second would cost more and show no more."""
_numbers = itertools.count(1)


class Graph:
    """One view with its buttons, in the folder that is open."""

    def __init__(
        self, page: Page, model: SceneModel, choice: Selection, pictures: PictureDrawings, *, kept: bool
    ) -> None:
        self.choice, self.kept = choice, kept
        self.number = next(_numbers)
        """By which its buttons call it."""
        self.parts = model.interface(choice.entity)
        """Of the robot that it was made for."""
        self.paused = False
        self._shown = 0
        self._buttons = page.gui.add_html("")
        self.view: PartView | None = view_of(page, model, choice, pictures)
        """None for what does not change."""
        self._label()

    def pause(self) -> None:
        """Stands still, or goes on."""
        self.paused = not self.paused
        self._label()

    def show(self, truth: GroundTruth, *, at_once: bool = False) -> None:
        """Another instant."""
        if self.view is None or self.paused:
            return
        self.view.take(truth)
        self._shown += 1
        if at_once or self._shown % _EVERY == 1:
            self.view.draw()

    def _label(self) -> None:
        if self.view is None:
            return
        name = self.choice.title.replace(" / ", "_")
        last = ("Close", "graph/close") if self.kept else ("Keep", "graph/keep")
        number = f'data-number="{self.number}"'
        pause = f'<button data-ask="graph/pause" {number} aria-pressed="{json.dumps(self.paused)}">Hold</button>'
        save = f'<button data-ask="graph/table" {number} data-save="{escape(name)}.csv">CSV</button>'
        save = save if self.view.tabular else ""
        self._buttons.content = (
            f'<div class="us-row" data-title="{escape(self.choice.title)}">{pause}'
            f'<button data-do="graph">PNG</button>{save}<button data-ask="{last[1]}" {number}>{last[0]}</button></div>'
        )


class Graphs:
    """All graphs of the page."""

    def __init__(
        self,
        page: Page,
        layout: PageLayout,
        pictures: PictureDrawings,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`changed`: other graphs are kept than before."""
        self._page, self._layout, self._pictures, self._changed = page, layout, pictures, changed
        self._kept: dict[Selection, tuple[Any, Graph]] = {}
        self._current: Graph | None = None
        self._awaited: dict[Selection, None] = {}
        self._model: SceneModel | None = None
        for name, action in (("keep", self._keep), ("close", self._close), ("pause", Graph.pause)):
            page.routes.on(f"graph/{name}", self._route(action))
        page.routes.on("graph/table", self._table)

    @property
    def kept(self) -> list[Selection]:
        """What the graphs are of that are kept, also if it is not there now."""
        return [*self._kept, *self._awaited]

    def choose(self, choice: Selection | None) -> Graph | None:
        """Another thing is chosen, or nothing: its graph is made in the folder that is open."""
        self._current = None
        if choice is not None and self._model is not None:
            self._current = Graph(self._page, self._model, choice, self._pictures, kept=False)
        return self._current

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left; graphs of those that left stay as they are, and go on when these are back."""
        self._model = model
        for choice, (folder, graph) in list(self._kept.items()):
            here = model.has(choice)
            folder.label = choice.title if here else f"{choice.title} · has left"
            if here and graph.parts != model.interface(choice.entity):  # another robot of the same name
                folder.remove()
                self._kept[choice] = self._opened(model, choice)
        for choice in [choice for choice in self._awaited if model.has(choice)]:
            del self._awaited[choice]
            self._kept[choice] = self._opened(model, choice)
        self._layout.show_graphs(bool(self._kept))

    def keep(self, choice: Selection) -> None:
        """One more, if there is room for it; of what is not there yet, as soon as it is."""
        if choice in self.kept or len(self.kept) >= MOST:
            return
        if self._model is None or not self._model.has(choice):
            self._awaited[choice] = None
            return
        self._kept[choice] = self._opened(self._model, choice)
        self._layout.show_graphs(True)
        self._changed()

    def _opened(self, model: SceneModel, choice: Selection) -> tuple[Any, Graph]:
        with self._layout.graphs:
            folder = self._page.gui.add_folder(choice.title)
        with folder:
            return folder, Graph(self._page, model, choice, self._pictures, kept=True)

    def views(self) -> Iterable[PartView]:
        """Of all that is there."""
        model = self._model
        here = [graph for graph in self._graphs() if model is not None and model.has(graph.choice)]
        return [graph.view for graph in here if graph.view is not None]

    def show(self, truth: GroundTruth, *, at_once: bool = False) -> None:
        """Another instant."""
        for graph in self._graphs():
            try:
                graph.show(truth, at_once=at_once)
            except UberSimError:  # it has left; the next legend has it no more
                continue

    def _graphs(self) -> list[Graph]:
        kept = [graph for _, graph in self._kept.values()]
        return kept if self._current is None else [self._current, *kept]

    def _keep(self, graph: Graph) -> None:
        self.keep(graph.choice)

    def _close(self, graph: Graph) -> None:
        folder, _ = self._kept.pop(graph.choice, (None, None))
        if folder is not None:
            folder.remove()
        self._layout.show_graphs(bool(self._kept))
        self._changed()

    def _route(self, action: Callable[[Graph], None]) -> Callable[[Mapping[str, str]], None]:
        def route(arguments: Mapping[str, str]) -> None:
            graph = self._found(arguments)
            self._page.later(lambda: action(graph))

        return route

    def _table(self, arguments: Mapping[str, str]) -> Document:
        view = self._found(arguments).view
        table = "" if view is None else view.table()
        return Document(table.encode(), "text/csv; charset=utf-8")

    def _found(self, arguments: Mapping[str, str]) -> Graph:
        number = int(arguments["number"])
        found = next((graph for graph in self._graphs() if graph.number == number), None)
        if found is None:
            raise ValueError(f"there is no graph {number} any more")
        return found
