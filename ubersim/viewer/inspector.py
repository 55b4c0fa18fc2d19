"""What is chosen in the tree or in the scene: its detail, on top of the controls, and its graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.graphs import Graph, Graphs
from ubersim.viewer.latency import LatencyChooser
from ubersim.viewer.layout import PageLayout
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.selection import Selection
from ubersim.viewer.tree import tree_html
from ubersim.viewer.tuning import Tuning


class Inspector:
    """The tree, and the detail of one thing in it."""

    def __init__(
        self,
        page: Page,
        layout: PageLayout,
        graphs: Graphs,
        tuning: Tuning | None,
        refresh: Callable[[SceneModel], None] = lambda _: None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`refresh` finds out how robots are set now; `changed` is told when something else was chosen by hand."""
        self.choice: Selection | None = None
        """What is chosen, if anything."""
        self._page, self._graphs, self._tuning = page, graphs, tuning
        self._refresh, self._changed = refresh, changed
        self._model: SceneModel | None = None
        self._by_hand = False  # a thing that was not chosen by hand gives way to the first robot that joins
        self._awaited: Selection | None = None  # it was chosen by hand, and is not there now
        self._parts: object = None
        with layout.tree:
            self._tree = page.gui.add_html("")
        self._place = page.gui.add_folder(None)
        self._folder: Any = None
        self._graph: Graph | None = None
        self.text: Any = None
        """What the detail says in words, in Markdown."""
        self.latency: LatencyChooser | None = None
        """What shows the latency of what is chosen, where it can be changed."""
        page.routes.on("pick", self._asked)

    @property
    def wanted(self) -> Selection | None:
        """What was chosen last by hand, also if it is not there now."""
        return self._awaited or self.choice

    @property
    def entity(self) -> str:
        """The robot, object or solid, if anything is chosen."""
        return "" if self.choice is None else self.choice.entity

    @property
    def body(self) -> str:
        """The body that is chosen, or the first of what is; empty if that has none."""
        choice, model = self.choice, self._model
        if choice is None or model is None or choice.kind == "Solid":
            return ""
        if choice.kind == "Bodies":
            return choice.full_name
        return next((model.bodies[row] for row in model.rows(choice.entity)), "")

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left."""
        self._model = model
        self._graphs.set_model(model)
        if self._awaited is not None and model.has(self._awaited):
            self.choice, self._by_hand, self._awaited = self._awaited, True, None
        keep = self.choice is not None and model.has(self.choice) and (self._by_hand or self.entity in model.robots)
        if keep and self.choice is not None and self._parts_now(self.choice.entity) == self._parts:
            self._open(self.choice)
        else:
            if self._by_hand and not keep:
                self._awaited = self.choice
            self._by_hand = self._by_hand and keep
            self._open(self.choice if keep else self._first())

    def pick(self, choice: Selection) -> None:
        """Chooses by hand: it stays chosen when robots join; what is not there is chosen as soon as it is."""
        if self._model is None or not self._model.has(choice):
            self._awaited = choice
            return
        self._by_hand, self._awaited = True, None
        self._open(choice)
        self._changed()

    def show(self, truth: GroundTruth, *, at_once: bool = False) -> None:
        """Another instant."""
        self._graphs.show(truth, at_once=at_once)
        if self._graph is not None and self._graph.view is not None and self.text is not None:
            self.text.content = self._graph.view.words

    def _first(self) -> Selection | None:
        """What is chosen if nothing is chosen by hand."""
        model = self._model
        if model is None or not model.entities:
            return None
        first = model.entities[0]
        return Selection("Robot" if first in model.robots else "Object", first)

    def _parts_now(self, entity: str) -> object:
        """Another robot of the same name has others."""
        return None if self._model is None else self._model.interface(entity)

    def _asked(self, arguments: Mapping[str, str]) -> None:
        choice = Selection.from_key(arguments["key"])
        self._page.later(lambda: self.pick(choice))

    def _open(self, choice: Selection | None) -> None:
        if self._folder is not None:
            self._folder.remove()
        model, page = self._model, self._page
        self.choice, self.text, self._graph, self._folder = choice, None, None, None
        self.latency = None
        self._graphs.choose(None)
        if model is None:
            return
        self._parts = None if choice is None else self._parts_now(choice.entity)
        self._tree.content = tree_html(model, choice)
        if choice is None:
            return
        self._refresh(model)
        with self._place:
            self._folder = page.gui.add_folder(f"{choice.title} · {choice.kind_word}")
        with self._folder:
            self.text = page.gui.add_markdown(_said(model, choice))
            self._graph = self._graphs.choose(choice)
            if self._tuning is not None:
                self.latency = self._tuning.add(model, choice)


def _said(model: SceneModel, choice: Selection) -> str:
    """Of what does not change."""
    if choice.kind != "Solid":
        return "no reading yet" if choice.kind == "Sensors" else ""
    lines = []
    for place in model.solids[choice.entity]:
        shape = model.shapes[place]
        size = " × ".join(f"{edge:g}" for edge in shape["size"])
        where = ", ".join(f"{value:.3f}" for value in shape["position"])
        lines.append(f"{shape['kind']} {size} m  \nat ({where}) m" if size else f"{shape['kind']} at ({where}) m")
    return "  \n".join(lines)
