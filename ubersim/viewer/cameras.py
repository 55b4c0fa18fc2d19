"""Where the browsers' camera is: free, with a robot, or in place of a camera of the robot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import ASIDE, Page

FREE, FOLLOW, ONBOARD = "free", "follow", "onboard "
_USUAL_FOV = math.radians(75.0)
NEAR = 6.0
"""A camera farther away than this from what it is to follow is first put near it [m]."""


class Cameras:
    """One choice for all browsers that show the page."""

    def __init__(self, page: Page, inspector: Inspector) -> None:
        self._page = page
        self._inspector = inspector
        self._choice: Any = page.gui.add_dropdown("Camera", (FREE, FOLLOW))
        self._before: NDArray[np.float64] | None = None
        self._last_choice = FREE

    def show(self, model: SceneModel, truth: GroundTruth) -> None:
        """Another instant."""
        robot = self._inspector.entity
        sensors = model.parts(robot)["sensors"]
        options = (FREE, FOLLOW, *(ONBOARD + name for name, about in sensors.items() if "width" in about))
        if self._choice.options != options:
            self._choice.options = options
            self._choice.value = self._choice.value if self._choice.value in options else FREE
        choice = self._choice.value
        if choice == FOLLOW and robot in model.entities:
            self._follow(truth.positions[model.rows(robot)[0]])
        else:
            self._before = None
        if choice.startswith(ONBOARD):
            self._look_through(model, truth, robot, choice.removeprefix(ONBOARD))
        elif self._last_choice.startswith(ONBOARD) and robot in model.entities:
            self._step_back(truth.positions[model.rows(robot)[0]])
        self._last_choice = choice

    def _step_back(self, target: NDArray[np.float64]) -> None:
        """Puts the camera where it sees all of the robot."""
        for client in self._page.get_clients().values():
            with client.atomic():
                client.camera.fov = _USUAL_FOV
                client.camera.up_direction = np.array([0.0, 0.0, 1.0])
                client.camera.position = target + ASIDE
                client.camera.look_at = target

    def _follow(self, target: NDArray[np.float64]) -> None:
        """Moves the camera by as much as the target; it may be turned in the browser meanwhile."""
        if self._before is None and any(_far(client.camera, target) for client in self._page.get_clients().values()):
            self._step_back(target)  # again and again, until the browsers report that they are there
            return
        way = np.zeros(3) if self._before is None else target - self._before
        self._before = target.copy()
        for client in self._page.get_clients().values():
            with client.atomic():
                client.camera.position = np.array(client.camera.position) + way
                client.camera.look_at = target

    def _look_through(self, model: SceneModel, truth: GroundTruth, robot: str, sensor: str) -> None:
        """What the sensor's camera sees, of this instant; its own pictures are older by its latency."""
        pose = model.sensor(truth, robot, sensor)
        about = model.parts(robot)["sensors"][sensor]
        across = math.tan(min(about["fov"], math.radians(150)) / 2)
        fov = 2 * math.atan(across * about["height"] / about["width"])
        for client in self._page.get_clients().values():
            with client.atomic():
                client.camera.fov = fov
                client.camera.up_direction = pose.rotation[:, 2]
                client.camera.position = pose.position
                client.camera.look_at = pose.position + pose.rotation[:, 1]


def _far(camera: Any, target: NDArray[np.float64]) -> bool:
    return float(np.linalg.norm(np.array(camera.position) - target)) > NEAR
