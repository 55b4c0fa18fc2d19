"""What is chosen, seen in the scene: a shell around its shapes, the axes of a joint, the frame of a sensor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ubersim.geometry import quaternion_from_matrix
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.framing import extent
from ubersim.viewer.markers import Markers
from ubersim.viewer.meshes import Array, MeshBatch, form
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.selection import Selection

GLOW = (255, 176, 0)
"""Of the shells."""
_THICKNESS = 1.035
"""Of a shell, times what is in it."""
_AXIS, _AXIS_WIDTH = 0.6, 0.012
"""Half of the length of a joint's axis that is drawn, and its width, in radii of the robot."""


class Highlight:
    """Of one thing at a time."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._shells: list[_Shell] = []
        self._markers = Markers(page)
        self._frame = page.scene.add_frame("/chosen/frame", axes_length=0.15, axes_radius=0.004, visible=False)
        self._model: SceneModel | None = None
        self._choice: Selection | None = None

    def choose(self, model: SceneModel, choice: Selection | None) -> None:
        """Something else, or the same in another scene."""
        if (model, choice) == (self._model, self._choice):
            return
        self._model, self._choice = model, choice
        for shell in self._shells:
            shell.node.remove()
        self._markers.remove("/chosen/axes")  # those of another robot have another width
        places = [] if choice is None else places_of(model, choice)
        groups: dict[tuple[Any, ...], dict[int, Mapping[str, Any]]] = {}
        for place in places:
            shape = model.shapes[place]
            if shape["kind"] != "quad":
                groups.setdefault((shape["body"] >= 0, *form(shape)), {})[place] = shape
        self._shells = [
            _Shell(self._page, f"/chosen/{number}", shapes, None) for number, shapes in enumerate(groups.values())
        ]

    def show(self, truth: GroundTruth) -> None:
        """Another instant."""
        for shell in self._shells:
            if shell.moves:
                shell.move(truth.positions, truth.quaternions)
        self._show_axes(truth)
        self._show_frame(truth)

    def _show_axes(self, truth: GroundTruth) -> None:
        """Of joints, as long as suits their robot."""
        model, choice = self._model, self._choice
        ball = None if model is None or choice is None else extent(model, truth, model.rows(choice.entity))
        radius = 0.0 if ball is None else ball[1]
        self._markers.lines("/chosen/axes", self._axes(truth, _AXIS * radius), GLOW, _AXIS_WIDTH * radius)

    def _axes(self, truth: GroundTruth, half: float) -> Array:
        model, choice = self._model, self._choice
        lines = [np.empty((0, 2, 3))]
        if model is not None and choice is not None:
            for joint in joints_of(model, choice):
                link = model.parts(choice.entity).get("links", {}).get(joint, {"bodies": (), "anchor": None})
                if link["anchor"] is None or not link["bodies"]:
                    continue
                frame = model.model_frame(truth, choice.entity, link["bodies"][-1])
                middle = frame.apply(np.array(link["anchor"], dtype=float))
                for axis in link["axes"]:
                    way = frame.turn(np.array(axis, dtype=float))
                    way = half * way / max(float(np.linalg.norm(way)), 1e-9)
                    lines.append(np.array([[middle - way, middle + way]]))
        return np.concatenate(lines)

    def _show_frame(self, truth: GroundTruth) -> None:
        """Of a sensor: it looks along the green axis, and blue is up."""
        model, choice = self._model, self._choice
        there = (
            model is not None and choice is not None and choice.kind == "Sensors"
            and choice.part in model.parts(choice.entity)["sensors"]
        )  # fmt: skip
        if self._frame.visible != there:
            self._frame.visible = there
        if there and model is not None and choice is not None:
            pose = model.sensor(truth, choice.entity, choice.part)
            self._frame.position, self._frame.wxyz = pose.position, quaternion_from_matrix(pose.rotation)


class _Shell(MeshBatch):
    """A little larger than the shapes, and seen through."""

    def _add(self, page: Page, name: str, shape: Mapping[str, Any]) -> Any:
        self._scales = self._scales * np.float32(_THICKNESS)
        return self._add_meshes(
            page,
            name,
            shape,
            batched_colors=np.array([GLOW] * len(self._bodies), np.uint8),
            opacity=0.35,
            cast_shadow=False,
            receive_shadow=False,
        )


def joints_of(model: SceneModel, choice: Selection) -> list[str]:
    """The joint that is chosen, or those that a motor drives."""
    if choice.kind == "Joints":
        return [choice.part]
    if choice.kind == "Motors":
        motor = model.parts(choice.entity)["motors"].get(choice.part, {"drives": ()})
        return list(dict.fromkeys(joint for joint, _ in motor["drives"]))
    return []


def places_of(model: SceneModel, choice: Selection) -> list[int]:
    """The shapes of what is chosen, by their places in the scene."""
    if choice.kind == "Solid":
        return model.solids.get(choice.entity, [])
    rows = set(_rows(model, choice))
    return [place for place, shape in enumerate(model.shapes) if shape["body"] in rows]


def _rows(model: SceneModel, choice: Selection) -> Iterable[int]:
    """Of the bodies that belong to it; a whole robot is not covered."""
    match choice.kind:
        case "Object":
            return model.rows(choice.entity)
        case "Bodies":
            bodies = [choice.part]
        case "Sensors":
            place = model.parts(choice.entity)["sensors"].get(choice.part)
            bodies = [] if place is None else [place["body"]]
        case _:
            links = model.parts(choice.entity).get("links", {})
            found = (links.get(joint, {"bodies": ()})["bodies"] for joint in joints_of(model, choice))
            bodies = [body for pair in found for body in pair[:1]]
    return [row for row in model.rows(choice.entity) if model.bodies[row].partition("/")[2] in bodies]
