"""Drags a robot or an object somewhere else, and pushes one of its bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ubersim.geometry import quaternion_from_matrix
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page

_WAYS = {"← −x": (-1, 0, 0), "+x →": (1, 0, 0), "↓ −y": (0, -1, 0), "+y ↑": (0, 1, 0), "up": (0, 0, 1)}


class Picking:
    """Acts on what is selected."""

    def __init__(self, page: Page, worker: CommandWorker, inspector: Inspector) -> None:
        self._worker = worker
        self._inspector = inspector
        self._held = ""  # what somebody has by the handles
        self._drag = page.gui.add_checkbox("Drag it", False, hint="Move it by the handles in the scene.")
        self._force = page.gui.add_slider("Force [N]", 0.0, 1000.0, 5.0, 150.0)
        self._seconds = page.gui.add_slider("For [s]", 0.01, 1.0, 0.01, 0.1)
        ways = page.gui.add_button_group("Push it", tuple(_WAYS))
        ways.on_click(lambda _: self._push(np.array(_WAYS[ways.value], dtype=float)))
        self._handles = page.scene.add_transform_controls("/handles", scale=0.6, depth_test=False, visible=False)
        self._handles.on_update(lambda event: self._dragged(event))

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left; handles of one that left are let go."""
        if self._held not in model.entities:
            self._held = ""

    def show(self, model: SceneModel, truth: GroundTruth) -> None:
        """The handles follow what is selected, unless they are being dragged: a robot's origin, an object's middle."""
        entity = self._inspector.entity
        visible = bool(self._drag.value and entity in model.entities)
        if self._handles.visible != visible:
            self._handles.visible = visible
        if self._held != entity:
            self._held = ""  # something else was chosen meanwhile
        if visible and self._held:
            self._put(entity)  # again and again: what is held does not fall out of the hand
        elif visible:
            body = model.bodies[model.rows(entity)[0]]
            pose = model.model_frame(truth, entity, body.partition("/")[2]) if "/" in body else model.pose(truth, body)
            self._handles.position = pose.position
            self._handles.wxyz = quaternion_from_matrix(pose.rotation)

    def _dragged(self, event: Any) -> None:
        entity = self._inspector.entity
        self._held = "" if event.phase == "end" else entity
        self._put(entity)

    def _put(self, entity: str) -> None:
        place, turn = self._handles.position.tolist(), self._handles.wxyz.tolist()
        self._worker.do(lambda world: world.teleport(entity, place, quaternion=turn, overlap="lift"), ("drag", entity))

    def _push(self, way: Any) -> None:
        body, force, seconds = self._inspector.body, float(self._force.value), float(self._seconds.value)
        self._worker.do(lambda world: world.push(body, force * way, seconds))
