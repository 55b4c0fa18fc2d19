"""The page of a running server: the ground truth comes in, and everything on the page follows it."""

from __future__ import annotations

import contextlib
import math
from time import monotonic
from typing import Any, Protocol

from ubersim.client.supervisor import Supervisor
from ubersim.errors import UberSimError
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.clock import Clock
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.drawings import Drawings
from ubersim.viewer.inputs import PageInputs
from ubersim.viewer.logged_drawings import LoggedDrawings
from ubersim.viewer.messages import MessagePane
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.parameters import ParameterPanel
from ubersim.viewer.picking import Picking
from ubersim.viewer.timeline import LogTimeline
from ubersim.viewer.tuning import Tuning
from ubersim.viewer.workspace import Workspace

HERTZ = 30.0
"""How often the page is brought up to date [Hz]."""
ASKED = 0.5
"""How often it asks how late things are [s]."""


class PagePart(Protocol):
    """Something more on the page, such as a score board: it is told what happens, and adds its own controls.

    `PageLayout.score`, `PageLayout.messages` and `PageLayout.board` are places for these.
    """

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left."""

    def show(self, model: SceneModel, truth: GroundTruth) -> None:
        """Another instant."""


class Live:
    """Watches with one supervisor and acts with another, so that neither waits for the other."""

    def __init__(self, page: Page, watcher: Supervisor, commander: Supervisor) -> None:
        self._page = page
        self._watcher = watcher
        self._model: SceneModel | None = None
        self._legend = -1
        self._watched: dict[str, Any] = {}
        self._latest: GroundTruth | None = None
        self._aimed = -math.inf
        self._asked = 0.0
        self.worker = CommandWorker(commander, page.show_error)
        """What parts of the page give commands to."""
        replayed = "log" in watcher.scene()  # then nothing can be changed
        self._clock = Clock(page, self.worker, resets=not replayed)
        self._timeline = LogTimeline(page, self.worker)
        tuning = None if replayed else Tuning(page, self.worker)
        self.workspace = Workspace(page, tuning, lambda model: model.update(watcher.scene()))
        self.inspector = self.workspace.inspector
        self._parts: list[PagePart] = []
        if not replayed:
            with self.workspace.tabs.add_tab("Push and drag"):
                self._picking = Picking(page, self.worker, self.inspector)
            self._parts.append(self._picking)
        with self.workspace.tabs.add_tab("View"):
            self.workspace.add_view(touches=True)
            self._drawings = Drawings(page)
        logged = LoggedDrawings(self._drawings, self.workspace.pictures)
        # in no tab: it is there in all of them
        inputs = None if replayed else PageInputs(page, self.worker, lambda: self.inspector.entity)
        with self.workspace.tabs.add_tab("Programs"):
            self.parameters = ParameterPanel(page, None if replayed else self.worker, watcher.parameters, inputs)
            self.messages = MessagePane(page, logged)
        self._parts.append(logged)
        page.on_client_connect(lambda _: page.later(self._show_latest))

    def add(self, part: PagePart) -> None:
        """One more part of the page; it shows what there is, also while time stands still."""
        self._parts.append(part)
        if self._model is not None:
            part.set_model(self._model)
            if self._latest is not None and self._fits(self._latest):
                part.show(self._model, self._latest)

    def run(self) -> None:
        """Until the server ends."""
        while True:
            self._page.catch_up()
            self.parameters.catch_up()
            self._watch()
            self._show_latency()
            truth = self._watcher.next_truth(1 / HERTZ)
            for drawing in self._watcher.take_drawings():
                self._drawings.take(*drawing)
            for logged in self._watcher.take_logs():
                self.messages.take(*logged)
            self.messages.catch_up()
            self._drawings.draw()
            if truth is not None:
                self._take(truth)
            elif self._latest is not None and self._fits(self._latest) and self._model is not None:
                self.workspace.stand(self._model, self._latest)

    def _take(self, truth: GroundTruth) -> None:
        self._latest = truth
        if truth.legend["number"] != self._legend:
            self._rebuild(truth)
        self._aim_first_view(truth)
        if self._page.get_clients():
            self._show(truth)

    def _watch(self) -> None:
        """Asks the server for what the page shows now: readings, commands, contacts, forces."""
        wanted = self.workspace.wanted(self._model)
        if wanted != self._watched:
            self._watched = wanted
            try:
                self._watcher.watch(hertz=HERTZ, drawings=True, logs=True, pushes=True, **wanted)
            except UberSimError:  # a robot has left in the meantime
                self._watcher.watch(hertz=HERTZ, drawings=True, logs=True, pushes=True)

    def _show_latency(self) -> None:
        """Others change it, too, and what is under way changes by itself."""
        shown = self.inspector.latency
        if shown is not None and self._page.get_clients() and monotonic() - self._asked > ASKED:
            self._asked = monotonic()
            with contextlib.suppress(UberSimError):  # the robot has left in the meantime
                shown.show(self._watcher.scene(shown.robot)["robots"][shown.robot])

    def _rebuild(self, truth: GroundTruth) -> None:
        """Robots have joined or left, or a shape has another colour."""
        scene = self._watcher.scene()
        self._clock.set_rate(scene["rate"])
        self._timeline.set_ends(scene.get("log"))
        if max((shape["body"] for shape in scene["shapes"]), default=-1) >= len(truth.positions):
            return  # more have joined or left since then; the next truth fits the scene
        self._legend = truth.legend["number"]
        if self._model is not None and self._model.knows(truth.legend) and self.workspace.repaint(scene):
            return
        empty = self._model is None or not self._model.robots
        self._model = SceneModel(truth.legend, scene)
        self._watched = {}
        self.workspace.set_scene(scene, self._model, truth)
        if empty and self._model.robots:
            self.workspace.greet(self._model, truth)
        for part in self._parts:
            part.set_model(self._model)
        self._aimed = -math.inf  # also while time stands still

    def _aim_first_view(self, truth: GroundTruth) -> None:
        """A browser that opens the page looks at the robots, wherever these are by now."""
        if self._model is not None and self._model.robots and abs(truth.time - self._aimed) > 0.5 and self._fits(truth):
            self._aimed = truth.time
            self.workspace.aim_first_view(self._model, truth)

    def _fits(self, truth: GroundTruth) -> bool:
        return self._model is not None and len(self._model.bodies) == len(truth.positions)

    def _show(self, truth: GroundTruth) -> None:
        if self._model is None or not self._fits(truth):
            return
        with self._page.atomic():
            self.workspace.move(self._model, truth)
            for part in self._parts:
                part.show(self._model, truth)
        self._clock.show(truth)
        self._timeline.show(truth)
        self.workspace.show(self._model, truth)

    def _show_latest(self) -> None:
        if self._latest is not None:
            self._show(self._latest)
