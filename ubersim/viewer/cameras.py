"""From where the page looks: from where people turn it to, along with a robot, or out of a robot's own camera."""

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
_USUAL = math.radians(75.0)


NEAR = 6.0
"""Who is farther away from what he follows is taken there first [m]."""


class Cameras:
    """One for everybody who looks at the page."""

    def __init__(self, page: Page, inspector: Inspector) -> None:
        self._page = page
        self._inspector = inspector
        self._choice: Any = page.gui.add_dropdown("Camera", (FREE, FOLLOW))
        self._before: NDArray[np.float64] | None = None
        self._looked = FREE

    def show(self, cast: SceneModel, truth: GroundTruth) -> None:
        """Another instant."""
        robot = self._inspector.thing
        sensors = cast.parts(robot)["sensors"]
        options = (FREE, FOLLOW, *(ONBOARD + name for name, about in sensors.items() if "width" in about))
        if self._choice.options != options:
            self._choice.options = options
            self._choice.value = self._choice.value if self._choice.value in options else FREE
        choice = self._choice.value
        if choice == FOLLOW and robot in cast.things:
            self._follow(truth.positions[cast.rows(robot)[0]])
        else:
            self._before = None
        if choice.startswith(ONBOARD):
            self._ride(cast, truth, robot, choice.removeprefix(ONBOARD))
        elif self._looked.startswith(ONBOARD) and robot in cast.things:
            self._step_back(truth.positions[cast.rows(robot)[0]])
        self._looked = choice

    def _step_back(self, target: NDArray[np.float64]) -> None:
        """Out of the robot, to where all of it is seen."""
        for client in self._page.get_clients().values():
            with client.atomic():
                client.camera.fov = _USUAL
                client.camera.up_direction = np.array([0.0, 0.0, 1.0])
                client.camera.position = target + ASIDE
                client.camera.look_at = target

    def _follow(self, target: NDArray[np.float64]) -> None:
        """As the target moves, so does the camera; people may turn it meanwhile."""
        if self._before is None and any(_far(client.camera, target) for client in self._page.get_clients().values()):
            self._step_back(target)  # until the browsers say that they are there
            return
        way = np.zeros(3) if self._before is None else target - self._before
        self._before = target.copy()
        for client in self._page.get_clients().values():
            with client.atomic():
                client.camera.position = np.array(client.camera.position) + way
                client.camera.look_at = target

    def _ride(self, cast: SceneModel, truth: GroundTruth, robot: str, sensor: str) -> None:
        """What the sensor's camera sees, of this instant; its own pictures are older by its latency."""
        pose = cast.sensor(truth, robot, sensor)
        about = cast.parts(robot)["sensors"][sensor]
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
