"""What the world itself does not show: contacts, forces, and the rays of scanners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.markers import Markers
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page

Array = NDArray[np.float64]
_RED, _BLUE, _RAY = (220, 40, 30), (30, 90, 220), (255, 170, 40)


class Overlays:
    """Shown as far as their boxes are ticked."""

    def __init__(self, page: Page, inspector: Inspector, *, touches: bool = True) -> None:
        """`touches`: contacts and forces are known."""
        self._inspector = inspector
        touch = "Where bodies touch, and the forces on what is selected."
        self._contacts = page.gui.add_checkbox("Contacts, forces", False, hint=touch, visible=touches)
        self._scale = page.gui.add_number("Arrows [N/m]", 500.0, min=0.1, max=1e6, visible=touches)
        self._rays = page.gui.add_checkbox("Rays", True, hint="Of the scanners and sonars of what is selected.")
        self._markers = Markers(page)

    @property
    def contacts(self) -> bool:
        """Whether contacts are wanted."""
        return bool(self._contacts.value)

    def sensors(self, model: SceneModel) -> list[str]:
        """`Robot/Sensor`: those whose rays are wanted."""
        robot = self._inspector.entity
        if not self._rays.value:
            return []
        return [f"{robot}/{name}" for name, about in model.parts(robot)["sensors"].items() if "range" in about]

    def show(self, model: SceneModel, truth: GroundTruth) -> None:
        """Another instant."""
        contacts = truth.contacts if self.contacts and truth.contacts is not None else np.empty((0, 7))
        forces = truth.forces if self.contacts and truth.forces is not None else np.empty((0, 6))
        tips = forces[:, :3] + forces[:, 3:] / self._scale.value
        starts, ends = self._rays_of(model, truth)
        self._markers.points("/overlays/contacts", contacts[:, :3], _RED, 0.02)
        self._markers.arrows("/overlays/forces", np.stack([forces[:, :3], tips], axis=1), _BLUE)
        self._markers.lines("/overlays/rays", np.stack([starts, ends], axis=1), _RAY, 0.004)
        self._markers.points("/overlays/hits", ends, _RED, 0.02)

    def _rays_of(self, model: SceneModel, truth: GroundTruth) -> tuple[Array, Array]:
        starts, ends = [np.empty((0, 3))], [np.empty((0, 3))]
        for full_name in self.sensors(model):
            robot, _, sensor = full_name.partition("/")
            if full_name not in truth.readings:
                continue
            about = model.parts(robot)["sensors"][sensor]
            distances = np.atleast_1d(np.asarray(truth.readings[full_name], dtype=float)).ravel()
            angles = np.array(about.get("angles", [0.0]))
            if len(angles) != len(distances):
                continue
            hit = np.isfinite(distances)
            pose = model.sensor(truth, robot, sensor)
            ways = np.stack([-np.sin(angles), np.cos(angles), np.zeros(len(angles))], axis=1)[hit]
            starts.append(np.repeat(pose.position[None], hit.sum(), axis=0))
            ends.append(pose.position + (distances[hit, None] * ways) @ pose.rotation.T)
        return np.concatenate(starts), np.concatenate(ends)
