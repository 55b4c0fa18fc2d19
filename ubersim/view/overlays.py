"""What cannot be seen in the world itself: contacts, forces, and the rays of scanners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.truth import Truth
from ubersim.view.cast import Cast
from ubersim.view.inspector import Inspector
from ubersim.view.page import Page

Array = NDArray[np.float64]
_RED, _BLUE, _RAY = (220, 40, 30), (30, 90, 220), (255, 170, 40)


class Overlays:
    """Drawn if somebody wants it."""

    def __init__(self, page: Page, inspector: Inspector) -> None:
        self._page = page
        self._inspector = inspector
        self._contacts = page.gui.add_checkbox("Contacts, and forces on what is selected", False)
        self._scale = page.gui.add_number("Newtons per metre of arrow", 500.0, min=0.1, max=1e6)
        self._rays = page.gui.add_checkbox("Rays of what is selected", True)
        self._nodes: dict[str, Any] = {}

    @property
    def contacts(self) -> bool:
        """Whether contacts are wanted."""
        return bool(self._contacts.value)

    def sensors(self, cast: Cast) -> list[str]:
        """`Robot/Sensor`: those whose rays are wanted."""
        robot = self._inspector.thing
        if not self._rays.value:
            return []
        return [f"{robot}/{name}" for name, about in cast.parts(robot)["sensors"].items() if "range" in about]

    def show(self, cast: Cast, truth: Truth) -> None:
        """Another instant."""
        contacts = truth.contacts if self.contacts else None
        self._points("/overlays/contacts", np.empty((0, 3)) if contacts is None else contacts[:, :3], _RED)
        forces = truth.forces if self.contacts else None
        self._arrows(np.empty((0, 6)) if forces is None else forces)
        starts, ends = self._beams(cast, truth)
        self._lines("/overlays/rays", np.stack([starts, ends], axis=1))
        self._points("/overlays/hits", ends, _RED)

    def _beams(self, cast: Cast, truth: Truth) -> tuple[Array, Array]:
        starts, ends = [np.empty((0, 3))], [np.empty((0, 3))]
        for full_name in self.sensors(cast):
            robot, _, sensor = full_name.partition("/")
            if full_name not in truth.readings:
                continue
            about = cast.parts(robot)["sensors"][sensor]
            distances = np.atleast_1d(np.asarray(truth.readings[full_name], dtype=float)).ravel()
            angles = np.array(about.get("angles", [0.0]))
            if len(angles) != len(distances):
                continue
            hit = np.isfinite(distances)
            pose = cast.sensor(truth, robot, sensor)
            ways = np.stack([-np.sin(angles), np.cos(angles), np.zeros(len(angles))], axis=1)[hit]
            starts.append(np.repeat(pose.position[None], hit.sum(), axis=0))
            ends.append(pose.position + (distances[hit, None] * ways) @ pose.rotation.T)
        return np.concatenate(starts), np.concatenate(ends)

    def _points(self, name: str, points: Array, color: tuple[int, int, int]) -> None:
        if self._present(name, len(points)):
            self._nodes[name] = self._page.scene.add_point_cloud(
                name, points, color, point_size=0.02, point_shape="circle", precision="float32"
            )

    def _lines(self, name: str, lines: Array) -> None:
        if self._present(name, len(lines)):
            self._nodes[name] = self._page.scene.add_line_segments(name, lines, _RAY, thickness=0.004)

    def _arrows(self, forces: Array) -> None:
        name = "/overlays/forces"
        if self._present(name, len(forces)):
            tips = forces[:, :3] + forces[:, 3:] / self._scale.value
            self._nodes[name] = self._page.scene.add_arrows(name, np.stack([forces[:, :3], tips], axis=1), _BLUE)

    def _present(self, name: str, count: int) -> bool:
        """Whether there is something to draw; what was drawn before is taken away if not."""
        if not count and name in self._nodes:
            self._nodes.pop(name).remove()
        return count > 0
