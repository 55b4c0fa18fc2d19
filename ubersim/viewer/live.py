"""The page of a running server: a picture of the truth comes in, everything on the page follows it."""

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
from ubersim.viewer.picking import Picking
from ubersim.viewer.tuning import Tuning

HERTZ = 30.0
"""Pictures per second of real time."""


class Live:
    """Watches with one supervisor, and acts with another, so that neither waits for the other."""

    def __init__(self, page: Page, eye: Supervisor, hand: Supervisor) -> None:
        self._page = page
        self._eye = eye
        self._cast: SceneModel | None = None
        self._legend = -1
        self._wish: dict[str, Any] = {}
        self._latest: GroundTruth | None = None
        self._greeted = -1.0
        hands = CommandWorker(hand, page.complain)
        self._figures = SceneMeshes(page, lambda row: page.later(lambda: self._picked(row)))
        self._clock = Clock(page, hands)
        tabs = page.gui.add_tab_group()
        with tabs.add_tab("Robots"):
            self._inspector = Inspector(page, Tuning(page, hands), lambda cast: cast.update(eye.scene()))
        with tabs.add_tab("Push and drag"):
            self._grip = Picking(page, hands, self._inspector)
        with tabs.add_tab("View"):
            self._cameras = Cameras(page, self._inspector)
            self._overlays = Overlays(page, self._inspector)
            self._looks()
            self._drawings = Drawings(page)
        page.on_client_connect(lambda _: page.later(self._again))

    def run(self) -> None:
        """Until the server ends."""
        while True:
            self._page.catch_up()
            self._watch()
            truth = self._eye.next_truth(1 / HERTZ)
            for drawing in self._eye.take_drawings():
                self._drawings.take(*drawing)
            if truth is not None:
                self._latest = truth
                self._receive_visitors(truth)
                if truth.legend["number"] != self._legend:
                    self._meet(truth)
                if self._page.get_clients():
                    self._show(truth)

    def _watch(self) -> None:
        """Asks for what is needed now."""
        sensors = [] if self._cast is None else self._overlays.sensors(self._cast)
        if self._inspector.sensor and self._inspector.sensor not in sensors:
            sensors.append(self._inspector.sensor)
        contacts = self._overlays.contacts
        touched = self._inspector.thing if contacts else ""
        wish: dict[str, Any] = {"sensors": sensors, "contacts": contacts, "forces": touched}
        if wish != self._wish:
            self._wish = wish
            try:
                self._eye.watch(hertz=HERTZ, drawings=True, **wish)
            except UberSimError:  # somebody has gone in the meantime
                self._eye.watch(hertz=HERTZ, drawings=True)

    def _meet(self, truth: GroundTruth) -> None:
        """Robots have come or gone, or something has another colour."""
        scene = self._eye.scene()
        if max((shape["body"] for shape in scene["shapes"]), default=-1) >= len(truth.positions):
            return  # and again since then; the next picture fits
        self._legend = truth.legend["number"]
        if self._cast is not None and self._cast.knows(truth.legend) and self._figures.repaint(scene):
            return
        self._cast = SceneModel(truth.legend, scene)
        self._wish = {}
        with self._page.atomic():
            self._page.dress(scene)
            self._figures.build(scene)
            self._figures.move(truth.positions, truth.quaternions)
        self._inspector.meet(self._cast)
        self._drawings.meet(self._cast)
        self._hide()

    def _receive_visitors(self, truth: GroundTruth) -> None:
        """Whoever opens the page sees the first robot first, wherever it has gone meanwhile."""
        if self._cast is not None and self._cast.robots and abs(truth.time - self._greeted) > 0.5:
            self._greeted = truth.time
            self._page.look_at(truth.positions[self._cast.rows(self._cast.robots[0])[0]])

    def _show(self, truth: GroundTruth) -> None:
        if self._cast is None or len(self._cast.bodies) != len(truth.positions):
            return
        with self._page.atomic():
            self._figures.move(truth.positions, truth.quaternions)
            self._grip.show(self._cast, truth)
            self._overlays.show(self._cast, truth)
            self._drawings.show(self._cast, truth)
        self._clock.show(truth)
        self._inspector.show(truth)
        self._cameras.show(self._cast, truth)

    def _again(self) -> None:
        if self._latest is not None:
            self._show(self._latest)

    def _picked(self, row: int) -> None:
        """Somebody has clicked at a body."""
        if self._cast is not None and row < len(self._cast.bodies):
            thing, _, body = self._cast.bodies[row].partition("/")
            self._inspector.pick(thing, body or thing)

    def _looks(self) -> None:
        gui = self._page.gui
        wireframe = gui.add_checkbox("Wireframe", False)
        wireframe.on_update(lambda _: self._page.later(lambda: self._figures.show(wireframe=wireframe.value)))
        hide = gui.add_button_group("Selected", ("Hide body", "Hide all of it", "Show everything"))
        self._hidden: set[str] = set()
        hide.on_click(lambda _: self._page.later(lambda: self._hide(hide.value)))

    def _hide(self, what: str = "") -> None:
        if self._cast is None:
            return
        if what == "Hide body":
            self._hidden.add(self._inspector.body)
        elif what == "Hide all of it":
            self._hidden |= {self._cast.bodies[row] for row in self._cast.rows(self._inspector.thing)}
        elif what:
            self._hidden.clear()
        rows = (row for row, body in enumerate(self._cast.bodies) if body in self._hidden)
        self._figures.show(hidden=frozenset(rows))
