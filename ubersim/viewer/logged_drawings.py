"""Points and drawings that programs log: in the scene, or in the pixels of a camera over its pictures."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.log_entries import POINTS, LogEntry
from ubersim.viewer.drawings import MOST, Drawings
from ubersim.viewer.model import SceneModel
from ubersim.viewer.picture_drawings import PictureDrawings

_MOST_POINTS = 2000
"""Of a set of points that is drawn."""
_LARGEST = 2**18
"""What is larger is not drawn over pictures [bytes]."""


class LoggedDrawings:
    """Knows which spaces are cameras; entries of a robot that the page does not know yet wait until it does."""

    def __init__(self, scene: Drawings, pictures: PictureDrawings) -> None:
        self._scene, self._pictures = scene, pictures
        self._model: SceneModel | None = None
        self._early: list[tuple[str, LogEntry]] = []

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left; the drawings of those that left are removed."""
        self._model = model
        self._scene.set_model(model)
        self._pictures.keep(model.entities)
        early, self._early = self._early, []
        for robot, entry in early:
            if robot in model.robots:
                self.take(robot, entry)

    def keep(self, robots: Collection[str]) -> None:
        """Takes away the drawings of all others."""
        self._scene.keep(robots)
        self._pictures.keep(robots)

    def show(self, model: SceneModel, truth: GroundTruth) -> None:
        """Moves the drawings that are fixed to bodies."""
        self._scene.show(model, truth)

    def take(self, robot: str, entry: LogEntry) -> None:
        """Points or a drawing, in place of the last of that name, wherever that was; an empty one takes it away."""
        if self._model is None or robot not in self._model.robots:
            self._early = [*self._early[1 - MOST :], (robot, entry)]
            return
        if entry.kind == POINTS:
            places = entry.value[:: max(1, len(entry.value) // _MOST_POINTS)]
            content: dict[str, Any] = {"points": places.tolist()}
        else:
            content = {key: part for key, part in entry.value.items() if key != "space"}
        space = entry.space
        drawn = any(key in content for key in ("lines", "points", "text"))
        flat = "width" in self._model.parts(robot)["sensors"].get(space, ())
        if flat or not drawn:
            self._scene.forget(robot, entry.name)
        if not flat or not drawn:
            self._pictures.forget(robot, entry.name)
        if flat and drawn and len(entry.payload) <= _LARGEST:
            self._pictures.take(robot, space, entry.name, content)
        elif not flat and drawn:
            self._scene.take(robot, entry.name, content | ({"body": space} if space else {}))
