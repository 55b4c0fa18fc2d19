"""The page of a running server: the ground truth comes in, and everything on the page follows it."""

from __future__ import annotations

from typing import Any

from ubersim.client.supervisor import Supervisor
from ubersim.errors import UberSimError
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.cameras import Cameras
from ubersim.viewer.clock import Clock
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.drawings import Drawings
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.meshes import SceneMeshes
from ubersim.viewer.model import SceneModel
from ubersim.viewer.overlays import Overlays
from ubersim.viewer.page import Page
from ubersim.viewer.parameters import ParameterPanel
from ubersim.viewer.picking import Picking
from ubersim.viewer.tuning import Tuning

HERTZ = 30.0
"""How often the page is brought up to date [Hz]."""


class Live:
    """Watches with one supervisor and acts with another, so that neither waits for the other."""

    def __init__(self, page: Page, watcher: Supervisor, commander: Supervisor) -> None:
        self._page = page
        self._watcher = watcher
        self._model: SceneModel | None = None
        self._legend = -1
        self._watched: dict[str, Any] = {}
        self._latest: GroundTruth | None = None
        self._aimed = -1.0
        worker = CommandWorker(commander, page.show_error)
        self._meshes = SceneMeshes(page, lambda row: page.later(lambda: self._picked(row)))
        self._clock = Clock(page, worker)
        tabs = page.gui.add_tab_group()
        with tabs.add_tab("Robots"):
            self.inspector = Inspector(page, Tuning(page, worker), lambda model: model.update(watcher.scene()))
            self.parameters = ParameterPanel(page, worker, watcher.parameters)
        with tabs.add_tab("Push and drag"):
            self._picking = Picking(page, worker, self.inspector)
        with tabs.add_tab("View"):
            self._cameras = Cameras(page, self.inspector)
            self._overlays = Overlays(page, self.inspector)
            self._add_looks()
            self._drawings = Drawings(page)
        page.on_client_connect(lambda _: page.later(self._show_latest))

    def run(self) -> None:
        """Until the server ends."""
        while True:
            self._page.catch_up()
            self.parameters.catch_up()
            self._watch()
            truth = self._watcher.next_truth(1 / HERTZ)
            for drawing in self._watcher.take_drawings():
                self._drawings.take(*drawing)
            self._drawings.draw()
            if truth is not None:
                self._latest = truth
                self._aim_first_view(truth)
                if truth.legend["number"] != self._legend:
                    self._rebuild(truth)
                if self._page.get_clients():
                    self._show(truth)

    def _watch(self) -> None:
        """Asks the server for what the page shows now: readings, contacts, forces."""
        sensors = [] if self._model is None else self._overlays.sensors(self._model)
        if self.inspector.sensor and self.inspector.sensor not in sensors:
            sensors.append(self.inspector.sensor)
        contacts = self._overlays.contacts
        touched = self.inspector.entity if contacts else ""
        wanted: dict[str, Any] = {"sensors": sensors, "contacts": contacts, "forces": touched}
        if wanted != self._watched:
            self._watched = wanted
            try:
                self._watcher.watch(hertz=HERTZ, drawings=True, **wanted)
            except UberSimError:  # a robot has left in the meantime
                self._watcher.watch(hertz=HERTZ, drawings=True)

    def _rebuild(self, truth: GroundTruth) -> None:
        """Robots have joined or left, or a shape has another colour."""
        scene = self._watcher.scene()
        self._clock.set_rate(scene["rate"])
        if max((shape["body"] for shape in scene["shapes"]), default=-1) >= len(truth.positions):
            return  # more have joined or left since then; the next truth fits the scene
        self._legend = truth.legend["number"]
        if self._model is not None and self._model.knows(truth.legend) and self._meshes.repaint(scene):
            return
        self._model = SceneModel(truth.legend, scene)
        self._watched = {}
        with self._page.atomic():
            self._page.set_surroundings(scene)
            self._meshes.build(scene)
            self._meshes.move(truth.positions, truth.quaternions)
        self.inspector.set_model(self._model)
        self._drawings.set_model(self._model)
        self._hide()

    def _aim_first_view(self, truth: GroundTruth) -> None:
        """A browser that opens the page looks at the first robot, wherever that is by now."""
        if self._model is not None and self._model.robots and abs(truth.time - self._aimed) > 0.5:
            self._aimed = truth.time
            self._page.look_at(truth.positions[self._model.rows(self._model.robots[0])[0]])

    def _show(self, truth: GroundTruth) -> None:
        if self._model is None or len(self._model.bodies) != len(truth.positions):
            return
        with self._page.atomic():
            self._meshes.move(truth.positions, truth.quaternions)
            self._picking.show(self._model, truth)
            self._overlays.show(self._model, truth)
            self._drawings.show(self._model, truth)
        self._clock.show(truth)
        self.inspector.show(truth)
        self._cameras.show(self._model, truth)

    def _show_latest(self) -> None:
        if self._latest is not None:
            self._show(self._latest)

    def _picked(self, row: int) -> None:
        """A body was clicked in the scene."""
        if self._model is not None and row < len(self._model.bodies):
            entity, _, body = self._model.bodies[row].partition("/")
            self.inspector.pick(entity, body or entity)

    def _add_looks(self) -> None:
        gui = self._page.gui
        wireframe = gui.add_checkbox("Wireframe", False)
        wireframe.on_update(lambda _: self._page.later(lambda: self._meshes.show(wireframe=wireframe.value)))
        hide = gui.add_button_group("Selected", ("Hide body", "Hide all of it", "Show everything"))
        self._hidden: set[str] = set()
        hide.on_click(lambda _: self._page.later(lambda: self._hide(hide.value)))

    def _hide(self, what: str = "") -> None:
        if self._model is None:
            return
        if what == "Hide body":
            self._hidden.add(self.inspector.body)
        elif what == "Hide all of it":
            self._hidden |= {self._model.bodies[row] for row in self._model.rows(self.inspector.entity)}
        elif what:
            self._hidden.clear()
        rows = (row for row, body in enumerate(self._model.bodies) if body in self._hidden)
        self._meshes.show(hidden=frozenset(rows))
