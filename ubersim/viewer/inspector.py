"""The tree of robots, bodies, joints, motors and sensors: pick one to see and to change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ubersim.errors import UberSimError
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.panels import BodyPanel, JointPanel, MotorPanel, Panel, SensorPanel
from ubersim.viewer.tuning import Tuning

Kind = Literal["Bodies", "Joints", "Motors", "Sensors"]
NOTHING = "none"


class Inspector:
    """What is selected: a robot or an object, and one part of it."""

    def __init__(
        self, page: Page, tuning: Tuning | None, refresh: Callable[[SceneModel], None] = lambda _: None
    ) -> None:
        """`refresh` finds out how robots are set now."""
        self.entity = ""
        """The robot or object, if there is any."""
        self.sensor = ""
        """`Robot/Sensor`, if a sensor is selected."""
        self.body = ""
        """The body that is selected, or the first."""
        self._page = page
        self._tuning = tuning
        self._refresh = refresh
        self._model: SceneModel | None = None
        self._wanted = ""  # picked by hand; an object that was not gives way to the first robot that joins
        self._chosen: tuple[Kind, str] | None = None
        self._panel: Panel | None = None
        self._entity_menu: Any = page.gui.add_dropdown("Robot", (NOTHING,))
        self._entity_menu.on_update(lambda event: self._picked(event))
        self._place = page.gui.add_folder(None)
        self._tree: Any = None
        self._detail: Any = None

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left."""
        self._model = model
        keep = self.entity in model.entities and (self._wanted == self.entity or self.entity in model.robots)
        entity = self.entity if keep else next(iter(model.entities), "")
        self._entity_menu.options = tuple(model.entities) or (NOTHING,)
        if entity != self.entity or self._tree is None:
            self.choose(entity)
        elif self._chosen is not None:
            self._open(*self._chosen)

    def pick(self, entity: str, body: str = "") -> None:
        """Selects by hand: it stays selected when robots join."""
        self._wanted = entity
        self.choose(entity, body)

    def choose(self, entity: str, body: str = "") -> None:
        """Shows another robot or object, with one of its bodies if that is given."""
        if entity != self.entity or self._tree is None:
            self.entity = entity
            self._chosen = None
            self._build_tree()
            self._entity_menu.value = entity or NOTHING
        bodies = self._names("Bodies")
        chosen = body if body in bodies else next(iter(bodies), "")
        if chosen and (body or self._chosen is None):
            self._open("Bodies", chosen)

    def show(self, truth: GroundTruth) -> None:
        """Another instant."""
        if self._panel is not None and self.entity:
            try:
                self._panel.show(truth)
            except UberSimError:  # it has left; the next legend has it no more
                self._panel = None

    def _picked(self, event: Any) -> None:
        if event.client is not None and self._entity_menu.value != self.entity:
            self._page.later(lambda: self.pick(self._entity_menu.value))

    def _names(self, kind: Kind) -> list[str]:
        if self._model is None or not self.entity:
            return []
        if kind == "Bodies":
            names = (self._model.bodies[row] for row in self._model.rows(self.entity))
            return [name.partition("/")[2] or name for name in names]
        return list(self._model.interface(self.entity)[kind.lower()])

    def _build_tree(self) -> None:
        """The parts of what is selected, as buttons."""
        for old in (self._tree, self._detail):
            if old is not None:
                old.remove()
        self._detail = self._panel = None
        with self._place:
            self._tree = self._page.gui.add_folder(self.entity or NOTHING)
        if self._model is None or not self.entity:
            return
        with self._tree:
            if self.entity in self._model.robots and self._tuning is not None:
                self._tuning.latency(self._model, self.entity)
            for kind in ("Bodies", "Joints", "Motors", "Sensors"):
                self._add_parts(kind)

    def _add_parts(self, kind: Kind) -> None:
        if names := self._names(kind):
            group = self._page.gui.add_button_group(kind, names)
            group.on_click(lambda _: self._page.later(lambda: self._open(kind, group.value)))

    def _open(self, kind: Kind, name: str) -> None:
        """Shows one part."""
        if self._model is None or name not in self._names(kind):
            return
        if self._detail is not None:
            self._detail.remove()
        self._refresh(self._model)
        robot, page = self.entity, self._page
        self._chosen, self.sensor, self._panel = (kind, name), "", None
        with self._place:
            self._detail = page.gui.add_folder(f"{robot} / {name}")
        with self._detail:
            if kind == "Bodies":
                self.body = f"{robot}/{name}" if f"{robot}/{name}" in self._model.bodies else name
                self._panel = BodyPanel(page, self.body)
            elif kind == "Joints":
                axes = self._model.interface(robot)["joints"][name]["axes"]
                self._panel = JointPanel(page, f"{robot}/{name}", axes)
            elif kind == "Motors":
                about = self._model.parts(robot)["motors"].get(name, {"drives": ()})
                self._panel = MotorPanel(page, robot, [(joint, axis) for joint, axis in about["drives"]])
            elif kind == "Sensors":
                self.sensor = f"{robot}/{name}"
                self._panel = SensorPanel(page, self._model, robot, name)
            if self._tuning is not None:
                self._tuning.part(self._model, robot, kind, name)
