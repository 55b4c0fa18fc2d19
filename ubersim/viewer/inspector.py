"""The tree of robots, bodies, joints, motors and sensors: pick one to see and to change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

from ubersim.errors import UberSimError
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.panels import BodyPanel, JointPanel, MotorPanel, Panel, SensorPanel
from ubersim.viewer.tuning import Tuning

Kind = Literal["Bodies", "Joints", "Motors", "Sensors"]
KINDS: tuple[Kind, ...] = get_args(Kind)
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
        self.chosen: tuple[Kind, str] | None = None
        """The part that is open, if any."""
        self.panel: Panel | None = None
        """What shows it."""
        self._entity_menu: Any = page.gui.add_dropdown("Robot", (NOTHING,))
        self._entity_menu.on_update(lambda event: self._picked(event))
        self._place = page.gui.add_folder(None)
        self._tree: Any = None
        self._detail: Any = None

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left."""
        before = self._parts()
        self._model = model
        keep = self.entity in model.entities and (self._wanted == self.entity or self.entity in model.robots)
        entity = self.entity if keep else next(iter(model.entities), "")
        self._entity_menu.options = tuple(model.entities) or (NOTHING,)
        if entity == self.entity and self._parts() != before:  # another robot of the same name
            self._switch(entity)
        if self.chosen is not None and entity == self.entity:
            self.open(*self.chosen)
        else:
            self.choose(entity)

    def pick(self, entity: str, body: str = "") -> None:
        """Selects by hand: it stays selected when robots join."""
        self._wanted = entity
        self.choose(entity, body)

    def choose(self, entity: str, body: str = "") -> None:
        """Shows another robot or object, with one of its bodies if that is given."""
        if entity != self.entity or self._tree is None:
            self._switch(entity)
        bodies = self.names("Bodies")
        chosen = body if body in bodies else next(iter(bodies), "")
        if chosen and (body or self.chosen is None):
            self.open("Bodies", chosen)

    def show(self, truth: GroundTruth) -> None:
        """Another instant."""
        if self.panel is not None and self.entity:
            try:
                self.panel.show(truth)
            except UberSimError:  # it has left; the next legend has it no more
                self.panel = None

    def _picked(self, event: Any) -> None:
        if event.client is not None and self._entity_menu.value != self.entity:
            self._page.later(lambda: self.pick(self._entity_menu.value))

    def names(self, kind: Kind) -> list[str]:
        """The parts of what is selected."""
        if self._model is None or not self.entity:
            return []
        if kind == "Bodies":
            names = (self._model.bodies[row] for row in self._model.rows(self.entity))
            return [name.partition("/")[2] or name for name in names]
        return list(self._model.interface(self.entity)[kind.lower()])

    def _parts(self) -> dict[str, list[str]]:
        return {kind: self.names(kind) for kind in KINDS}

    def _switch(self, entity: str) -> None:
        """Another robot or object, none of whose parts is open yet."""
        self.entity = entity
        self.chosen = None
        self._build_tree()
        self._entity_menu.value = entity or NOTHING

    def _build_tree(self) -> None:
        """The parts of what is selected, as buttons."""
        for old in (self._tree, self._detail):
            if old is not None:
                old.remove()
        self._detail = self.panel = None
        with self._place:
            self._tree = self._page.gui.add_folder(self.entity or NOTHING)
        if self._model is None or not self.entity:
            return
        with self._tree:
            if self.entity in self._model.robots and self._tuning is not None:
                self._tuning.latency(self._model, self.entity)
            for kind in KINDS:
                self._add_parts(kind)

    def _add_parts(self, kind: Kind) -> None:
        if names := self.names(kind):
            group = self._page.gui.add_button_group(kind, names)
            group.on_click(lambda _: self._page.later(lambda: self.open(kind, group.value)))

    def open(self, kind: Kind, name: str) -> None:
        """Shows one part."""
        if self._model is None or name not in self.names(kind):
            return
        if self._detail is not None:
            self._detail.remove()
        self._refresh(self._model)
        robot, page = self.entity, self._page
        self.chosen, self.sensor, self.panel = (kind, name), "", None
        with self._place:
            self._detail = page.gui.add_folder(f"{robot} / {name}")
        with self._detail:
            if kind == "Bodies":
                self.body = f"{robot}/{name}" if f"{robot}/{name}" in self._model.bodies else name
                self.panel = BodyPanel(page, self.body)
            elif kind == "Joints":
                joint = self._model.interface(robot)["joints"][name]
                self.panel = JointPanel(page, f"{robot}/{name}", joint["units"])
            elif kind == "Motors":
                about = self._model.parts(robot)["motors"].get(name, {"drives": ()})
                self.panel = MotorPanel(page, robot, [(joint, axis) for joint, axis in about["drives"]])
            elif kind == "Sensors":
                self.sensor = f"{robot}/{name}"
                self.panel = SensorPanel(page, self._model, robot, name)
            if self._tuning is not None:
                self._tuning.part(self._model, robot, kind, name)
