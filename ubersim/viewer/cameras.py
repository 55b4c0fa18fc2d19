"""Where the browsers' camera is: free, with a robot, or in place of a camera of the robot; and buttons that aim it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.framing import ABOVE, ASIDE, LITTLE_ROOM, ROOM, everything, extent, of_choice, place_to_look_from
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import USUAL_FOV, Page

Array = NDArray[np.float64]
FREE, FOLLOW, ONBOARD = "free", "follow", "onboard "
FIT, TOP, CHOSEN = "Fit all", "Top", "Fit chosen"
_FOLLOWED = "/followed"
"""The node of the scene that the browsers' own script goes along with, in the picture in which it moves."""
_FROM = "/followed/from"
"""Where it puts a camera that nobody has touched yet, seen from there."""
_FARTHER = 2.0
"""Than to see all of a robot: who goes along wants to see where it goes."""
_FARTHEST = 3.3
"""From what is followed, at first [m]."""


class Cameras:
    """One choice for all browsers that show the page."""

    def __init__(self, page: Page, inspector: Inspector) -> None:
        self._page = page
        self._inspector = inspector
        aim = page.gui.add_button_group("Look at", (FIT, TOP, CHOSEN))
        aim.on_click(lambda _: page.later(lambda: self._aim_by_button(aim.value)))
        self.choice: Any = page.gui.add_dropdown("Camera", (FREE, FOLLOW))
        """The menu."""
        self._followed: Any = None
        self._last_choice = FREE
        self._now: tuple[SceneModel, GroundTruth] | None = None

    @property
    def is_led(self) -> bool:
        """Whether it is the page that moves the camera."""
        return self._last_choice != FREE

    def follow(self) -> None:
        """Goes along with what is chosen, as if that had been picked in the menu."""
        self.choice.value = FOLLOW

    def move(self, model: SceneModel, truth: GroundTruth) -> None:
        """Another instant, in the scene: what is followed moves."""
        robot = self._inspector.entity
        followed = self.choice.value == FOLLOW and robot in model.entities
        if followed and self._followed is None:
            self._followed = self._page.scene.add_frame(_FOLLOWED, show_axes=False)
            self._page.scene.add_frame(_FROM, show_axes=False, position=_beside(model, truth, robot))
        elif not followed and self._followed is not None:
            self._followed.remove()
            self._followed = None
        if followed:
            self._followed.position = truth.positions[model.rows(robot)[0]]

    def show(self, model: SceneModel, truth: GroundTruth) -> None:
        """Another instant, or the same again while time stands still: something else may have been chosen."""
        self._now = model, truth
        robot = self._inspector.entity
        sensors = model.parts(robot)["sensors"]
        options = (FREE, FOLLOW, *(ONBOARD + name for name, about in sensors.items() if "width" in about))
        if self.choice.options != options:
            self.choice.options = options
            self.choice.value = self.choice.value if self.choice.value in options else FREE
        choice = self.choice.value
        if choice.startswith(ONBOARD):
            self._look_through(model, truth, robot, choice.removeprefix(ONBOARD))
        elif self._last_choice.startswith(ONBOARD):
            self.aim(model, truth, model.rows(robot), ASIDE)
        self._last_choice = choice

    def aim(self, model: SceneModel, truth: GroundTruth, rows: Sequence[int], way: Array) -> None:
        """Puts the camera where it sees all of these bodies, from that side."""
        self.aim_at(extent(model, truth, rows), way, self._page.get_clients().values())

    def aim_at(self, found: tuple[Array, float] | None, way: Array, clients: Iterable[Any], room: float = ROOM) -> None:
        """Puts the cameras of some browsers where they see a ball, by its middle and radius, from that side."""
        if found is None:
            return
        middle, radius = found
        for client in clients:
            with client.atomic():
                client.camera.fov = USUAL_FOV
                client.camera.up_direction = np.array([0.0, 0.0, 1.0])
                client.camera.position = place_to_look_from(middle, radius, way, USUAL_FOV, client.camera.aspect, room)
                client.camera.look_at = middle

    def _aim_by_button(self, button: str) -> None:
        if self._now is None:
            return
        model, truth = self._now
        choice = self._inspector.choice
        if button != CHOSEN:
            found = everything(model, truth)
        else:
            found = of_choice(model, truth, choice) if choice is not None and model.has(choice) else None
        if self.choice.value.startswith(ONBOARD):
            self.choice.value = self._last_choice = FREE
        way, room = ABOVE if button == TOP else ASIDE, ROOM if button == CHOSEN else LITTLE_ROOM
        self.aim_at(found, way, self._page.get_clients().values(), room)

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


def _beside(model: SceneModel, truth: GroundTruth, entity: str) -> Array:
    """From where one looks first at what is followed [m]."""
    found = extent(model, truth, model.rows(entity))
    assert found is not None, "robots and objects have bodies"
    offset = place_to_look_from(*found, ASIDE, USUAL_FOV, 1.0) - found[0]
    beside: Array = offset * min(_FARTHER, _FARTHEST / float(np.linalg.norm(offset)))
    return beside
