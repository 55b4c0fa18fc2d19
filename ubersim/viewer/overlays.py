"""What the world itself does not show: names, axes, contacts, forces, pushes, and the rays of scanners."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import quaternion_from_matrix
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.choices import Choices
from ubersim.viewer.inspector import Inspector
from ubersim.viewer.markers import Markers
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.picture_drawings import PictureDrawings

Array = NDArray[np.float64]
_RED, _BLUE, _RAY, _PUSH = (220, 40, 30), (30, 90, 220), (255, 170, 40), (170, 20, 170)
_LINGER = 0.8
"""A push is drawn at least so long: most are over before the eye has found them [s of real time]."""
_MOST_RAYS = 61
"""That are drawn as lines; more would be a surface that hides what is behind it. All of their ends are drawn."""
_SHORTEST_PUSH = 0.5
"""A push acts at a body's centre as a rule: the body would hide less [m]."""
_LONGEST_PUSH = 1.5
"""Of a push that is drawn [m]; its number says the rest."""


class Overlays:
    """Shown as far as their boxes are ticked."""

    def __init__(
        self, page: Page, inspector: Inspector, choices: Choices, pictures: PictureDrawings, *, touches: bool = True
    ) -> None:
        """`touches`: contacts and forces are known."""
        self._inspector = inspector
        gui = page.gui
        self._names = gui.add_checkbox("Names", True, hint="Of robots and free objects.")
        self._axes = gui.add_checkbox("Axes", False, hint="Of the world and of what is chosen: x red, y green, z blue.")
        touch = "Where bodies touch, and the forces on what is chosen."
        self._contacts = gui.add_checkbox("Contacts, forces", False, hint=touch, visible=touches)
        self._scale = gui.add_number("Arrows [N/m]", 500.0, min=0.1, max=1e6, visible=touches)
        self._rays = gui.add_checkbox("Rays", True, hint="Of the scanners and sonars of what is chosen.")
        drawn: Any = gui.add_checkbox("Drawings in pictures", True, hint="Of programs, in the pixels of a camera.")
        drawn.on_update(lambda _: page.later(lambda: pictures.show(drawn.value)))
        for name, control in (("names", self._names), ("axes", self._axes), ("contacts", self._contacts),
                              ("arrows", self._scale), ("rays", self._rays), ("drawn", drawn)):  # fmt: skip
            choices.track(name, control)
        self._markers = Markers(page)
        self._world = page.scene.add_frame("/axes/world", axes_length=0.5, axes_radius=0.008, visible=False)
        self._robot = page.scene.add_frame("/axes/robot", axes_length=0.35, axes_radius=0.006, visible=False)
        self._pushes: list[tuple[float, Array]] = []

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

    def show(self, model: SceneModel, truth: GroundTruth, absent: frozenset[int] = frozenset()) -> None:
        """Another instant; some rows of bodies are not there."""
        contacts = truth.contacts if self.contacts and truth.contacts is not None else np.empty((0, 7))
        forces = truth.forces if self.contacts and truth.forces is not None else np.empty((0, 6))
        tips = forces[:, :3] + forces[:, 3:] / self._scale.value
        starts, ends = self._rays_of(model, truth)
        self._markers.points("/overlays/contacts", contacts[:, :3], _RED, 0.02)
        self._markers.arrows("/overlays/forces", np.stack([forces[:, :3], tips], axis=1), _BLUE)
        some = np.linspace(0, len(ends) - 1, min(len(ends), _MOST_RAYS)).astype(int)
        self._markers.lines("/overlays/rays", np.stack([starts, ends], axis=1)[some], _RAY, 0.0015)
        self._markers.points("/overlays/hits", ends, _RED, 0.02)
        self._markers.texts("/names", model.labels(truth, absent) if self._names.value else {})
        self._show_axes(model, truth)
        self._show_pushes(truth)

    def clear(self) -> None:
        """Takes all away that belongs to robots that may have gone."""
        for root in ("/overlays", "/names", "/pushes"):
            self._markers.remove(root)
        self._pushes.clear()

    def _show_axes(self, model: SceneModel, truth: GroundTruth) -> None:
        wanted = bool(self._axes.value)
        body = self._inspector.body if wanted else ""
        for frame, visible in ((self._world, wanted), (self._robot, body in model.bodies)):
            if frame.visible != visible:
                frame.visible = visible
        if body in model.bodies:
            entity, slash, part = body.partition("/")
            pose = model.model_frame(truth, entity, part) if slash else model.pose(truth, body)
            self._robot.position, self._robot.wxyz = pose.position, quaternion_from_matrix(pose.rotation)

    def _show_pushes(self, truth: GroundTruth) -> None:
        """An arrow that ends where the force acts, and how large it is."""
        now = time.monotonic()
        if truth.pushes is not None and len(truth.pushes):
            self._pushes = [(now, row) for row in truth.pushes]
        self._pushes = [(since, row) for since, row in self._pushes if now - since < _LINGER]
        arrows, texts = [np.empty((0, 2, 3))], {}
        for number, (_, row) in enumerate(self._pushes):
            size = float(np.linalg.norm(row[3:]))
            way = row[3:] / max(size, 1e-9) * min(max(size / self._scale.value, _SHORTEST_PUSH), _LONGEST_PUSH)
            arrows.append(np.array([[row[:3] - way, row[:3]]]))
            texts[str(number)] = f"{size:.4g} N", row[:3] - way
        self._markers.arrows("/pushes/arrows", np.concatenate(arrows), _PUSH)
        self._markers.texts("/pushes/sizes", texts)

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
