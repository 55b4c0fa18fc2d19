"""What the page of a server and that of a log have in common: scene, tree, detail, graphs, ways to look at them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.cameras import FREE, Cameras
from ubersim.viewer.choices import Choices
from ubersim.viewer.drawing_style import DrawingStyle
from ubersim.viewer.framing import ASIDE, LITTLE_ROOM, ROOM, WIDEST, Array, extent, place_to_look_from
from ubersim.viewer.graphs import Graphs
from ubersim.viewer.highlight import Highlight
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.kept_cameras import KeptCameras
from ubersim.viewer.layout import PageLayout
from ubersim.viewer.meshes import SceneMeshes
from ubersim.viewer.model import SceneModel
from ubersim.viewer.overlays import Overlays
from ubersim.viewer.page import USUAL_FOV, Page
from ubersim.viewer.picture_drawings import PictureDrawings
from ubersim.viewer.selection import Selection
from ubersim.viewer.tuning import Tuning

SAVING = (
    '<div class="us-row"><button data-do="screenshot">Screenshot</button>'
    '<button data-do="film" aria-pressed="false">Film</button></div>'
)
"""The browser does these by itself."""
_WIDE = 5.0
"""Robots that are farther apart stand on a plain, as it were: what is around them is flat [m]."""


class Workspace:
    """Put together from its parts; `add_view` adds those of the View tab."""

    def __init__(
        self, page: Page, tuning: Tuning | None, refresh: Callable[[SceneModel], None] = lambda _: None
    ) -> None:
        self._page = page
        self._model: SceneModel | None = None
        self.layout = PageLayout(page)
        """Places for more."""
        self.choices = Choices(page)
        """What browsers keep."""
        page.gui.add_html(SAVING)
        self.meshes = SceneMeshes(page, lambda row: page.later(lambda: self._clicked(row)))
        """What is to be seen."""
        self.pictures = PictureDrawings(page)
        """What programs have drawn over them."""
        self.graphs = Graphs(page, self.layout, self.pictures, self.choices.changed)
        """All of them."""
        self.inspector = Inspector(page, self.layout, self.graphs, tuning, refresh, self.choices.changed)
        """What is chosen."""
        self.tabs = page.gui.add_tab_group()
        """Below the detail."""
        self._highlight = Highlight(page)
        self._wanted: dict[str, Any] = {}

    def add_view(self, *, touches: bool) -> None:
        """The controls of the View tab, in the tab that is open; `touches`: contacts and forces are known."""
        self.cameras = Cameras(self._page, self.inspector)
        self.overlays = Overlays(self._page, self.inspector, self.choices, self.pictures, touches=touches)
        self.looks = DrawingStyle(self._page, self.inspector, self.meshes, self.choices)
        self.choices.add("chosen", lambda: self.inspector.wanted and self.inspector.wanted.key, self._restore_choice)
        self.choices.add("graphs", lambda: [choice.key for choice in self.graphs.kept], self._restore_graphs)
        self.choices.track("camera", self.cameras.choice)
        self._kept_cameras = KeptCameras(self._page)

    def wanted(self, model: SceneModel | None) -> dict[str, Any]:
        """What has to be in the truth: readings, commands, contacts, forces."""
        views = list(self.graphs.views())
        rays = [] if model is None else self.overlays.sensors(model)
        touched = self.inspector.entity if self.overlays.contacts else ""
        if model is None or touched not in model.entities:
            touched = ""
        return {
            "sensors": list(dict.fromkeys([*rays, *(name for view in views for name in view.sensors)])),
            "commands": list(dict.fromkeys(name for view in views for name in view.commands)),
            "contacts": self.overlays.contacts,
            "forces": touched,
        }

    def set_scene(self, scene: Mapping[str, Any], model: SceneModel, truth: GroundTruth) -> None:
        """Another population: nothing of the last one is left."""
        self._model = model
        with self._page.atomic():
            self._page.set_surroundings(scene)
            self.meshes.build(scene)
            self._place(truth)
            self.overlays.clear()
        self.inspector.set_model(model)
        self.looks.set_model(model)
        self.move(model, truth)

    def repaint(self, scene: Mapping[str, Any]) -> bool:
        """Shows a scene that differs from the last in its colours alone; False: it differs in more."""
        return self.meshes.repaint(scene) and self._page.lights.repaint(scene["lights"])

    def move(self, model: SceneModel, truth: GroundTruth, absent: frozenset[int] = frozenset()) -> None:
        """Another instant, in the scene."""
        self._place(truth)
        self._mark(model, truth, absent)

    def show(self, model: SceneModel, truth: GroundTruth, *, at_once: bool = False) -> None:
        """Another instant, beside the scene."""
        self.inspector.show(truth, at_once=at_once)
        self.cameras.show(model, truth)
        self.choices.catch_up()
        self._kept_cameras.catch_up(led=self.cameras.is_led)

    def stand(self, model: SceneModel, truth: GroundTruth) -> None:
        """The same instant as before: what was chosen since then is marked and followed all the same."""
        if self._page.get_clients():
            with self._page.atomic():
                self._mark(model, truth)
            self.show(model, truth, at_once=True)

    def aim_first_view(self, model: SceneModel, truth: GroundTruth) -> None:
        """A browser that opens the page sees all robots if they are near each other, else the first."""
        middle, radius, room = _first_view(model, truth)
        self._page.look_from(place_to_look_from(middle, radius, ASIDE, USUAL_FOV, 1.0, room), middle)

    def greet(self, model: SceneModel, truth: GroundTruth) -> None:
        """The first robots have come: who has the page open and has not looked around yet sees them, too."""
        waiting = self._page.where_all_begin()
        if waiting and self.cameras.choice.value == FREE:  # any other is led to them
            middle, radius, room = _first_view(model, truth)
            self.cameras.aim_at((middle, radius), ASIDE, waiting, room)

    def _mark(self, model: SceneModel, truth: GroundTruth, absent: frozenset[int] = frozenset()) -> None:
        self._highlight.choose(model, self.inspector.choice)
        self._highlight.show(truth)
        self.overlays.show(model, truth, absent)
        self.cameras.move(model, truth)

    def _place(self, truth: GroundTruth) -> None:
        self.meshes.move(truth.positions, truth.quaternions)
        self._page.lights.move(truth.positions, truth.quaternions)

    def _clicked(self, row: int) -> None:
        """A body was clicked in the scene."""
        if self._model is not None and row < len(self._model.bodies):
            self.inspector.pick(self._model.at_row(row))

    def _restore_choice(self, key: Any) -> None:
        if isinstance(key, str):
            self.inspector.pick(Selection.from_key(key))

    def _restore_graphs(self, keys: Any) -> None:
        for key in keys:
            self.graphs.keep(Selection.from_key(key))


def _first_view(model: SceneModel, truth: GroundTruth) -> tuple[Array, float, float]:
    """Middle, radius and room of a ball around all robots, or around the first, if they are not near each other."""
    every = [row for robot in model.robots for row in model.rows(robot)]
    found = extent(model, truth, every)
    if found is None or found[1] > WIDEST:
        found = extent(model, truth, model.rows(model.robots[0]))
    assert found is not None, "robots have bodies"
    return *found, LITTLE_ROOM if found[1] > _WIDE else ROOM
