"""Drawings that clients send. They may come from any program, so everything in them is checked."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import time
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ubersim.geometry import quaternion_from_matrix
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.markers import Markers
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page, sendable

MOST = 256
"""Drawings that are shown at once."""
LARGEST_PICTURE = 2**21
"""Pixels; what is packed into a message may be many more."""
_FARTHEST = 1e6
_AT_ONCE = 0.02
"""Time that new drawings may take before the page goes on [s]; the rest waits."""
_BETWEEN_COMPLAINTS = 5.0
"""About drawings of one robot [s]."""


class Drawings:
    """One for each robot and name."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._folder = page.gui.add_folder("Pictures of clients", visible=False)
        self._markers = Markers(page)
        self._roots: dict[tuple[str, str], Any] = {}
        self._pictures: dict[tuple[str, str], Any] = {}
        self._bodies: dict[tuple[str, str], str] = {}
        self._waiting: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._complained: dict[str, float] = {}

    def take(self, robot: str, name: str, content: Mapping[str, Any]) -> None:
        """A drawing that is to replace the last of its name; of those that wait to be drawn, the newest counts."""
        key = robot, name
        known = self._roots.keys() | self._waiting.keys()
        if key in known or len(known) < MOST:
            self._waiting[key] = content

    def draw(self) -> None:
        """Draws what has been taken, as much as there is time for."""
        end = time.monotonic() + _AT_ONCE
        while self._waiting and time.monotonic() < end:
            key = next(iter(self._waiting))
            content = self._waiting.pop(key)
            try:
                self._draw(key, content)
            except Exception as error:  # whatever a client has sent, the page goes on
                self._remove(key)
                self._complain(key, error)

    def _complain(self, key: tuple[str, str], error: Exception) -> None:
        robot, name = key
        now = time.monotonic()
        if now - self._complained.get(robot, -_BETWEEN_COMPLAINTS) >= _BETWEEN_COMPLAINTS:
            self._complained[robot] = now
            self._page.show_error(f"the drawing {name!r:.80} of {robot}: {error!s:.200}")

    def set_model(self, model: SceneModel) -> None:
        """Robots have joined or left; the drawings of those that left are removed."""
        self.keep(model.entities)
        self._complained = {robot: when for robot, when in self._complained.items() if robot in model.entities}

    def keep(self, robots: Collection[str]) -> None:
        """Takes away the drawings of all others."""
        for robot, name in [key for key in {**self._roots, **self._waiting} if key[0] not in robots]:
            self.forget(robot, name)

    def forget(self, robot: str, name: str) -> None:
        """Takes a drawing away, if there is one."""
        self._waiting.pop((robot, name), None)
        self._remove((robot, name))

    def show(self, model: SceneModel, truth: GroundTruth) -> None:
        """Moves the drawings that are fixed to bodies."""
        for key, body in self._bodies.items():
            if f"{key[0]}/{body}" in model.bodies:
                pose = model.model_frame(truth, key[0], body)
                root = self._roots[key]
                root.position, root.wxyz = pose.position, quaternion_from_matrix(pose.rotation)

    def _draw(self, key: tuple[str, str], content: Mapping[str, Any]) -> None:
        root = f"/drawings/{key[0]}/{_path(key[1])}"
        if key not in self._roots:
            self._roots[key] = self._page.scene.add_frame(root, show_axes=False)
        if isinstance(content.get("body"), str):
            self._bodies[key] = content["body"]
        color, width = _color(content.get("color", (1.0, 0.5, 0.0))), float(content.get("width", 0.01))
        if not 0.0 < width <= 10.0:
            raise ValueError("a width is above 0 and at most 10 m")
        self._markers.lines(f"{root}/lines", _places(content.get("lines", ()), (2, 3)), color, width)
        self._markers.points(f"{root}/points", _places(content.get("points", ()), (3,)), color, width)
        if "text" in content:
            at = _places([content.get("at", (0.0, 0.0, 0.0))], (3,))[0]
            self._markers.text(f"{root}/text", _text(content["text"]), at)
        else:
            self._markers.remove(f"{root}/text")
        if "png" in content:
            self._picture(key, content["png"])
        elif key in self._pictures:
            self._pictures.pop(key).remove()
        self._folder.visible = bool(self._pictures)

    def _picture(self, key: tuple[str, str], text: Any) -> None:
        image = Image.open(io.BytesIO(base64.b64decode(str(text), validate=True)), formats=("PNG", "JPEG"))
        if image.width * image.height > LARGEST_PICTURE:
            raise ValueError(f"a picture of {image.width} x {image.height} is too large")
        pixels = np.array(image.convert("RGB"))
        if key in self._pictures:
            self._pictures[key].image = pixels
            return
        with self._folder:
            self._pictures[key] = self._page.gui.add_image(pixels, label=f"{key[0]}: {key[1]:.80}", format="jpeg")

    def _remove(self, key: tuple[str, str]) -> None:
        root = self._roots.pop(key, None)
        self._bodies.pop(key, None)
        if root is not None:
            self._markers.remove(root.name)
            root.remove()
        if key in self._pictures:
            self._pictures.pop(key).remove()
        self._folder.visible = bool(self._pictures)


def _places(values: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    places = np.array(values, dtype=float).reshape(-1, *shape)
    if not (np.abs(places) < _FARTHEST).all():
        raise ValueError("a place is not finite, or too far away")
    return places


def _color(values: Any) -> tuple[int, int, int]:
    red, green, blue = (round(255 * min(max(float(value), 0.0), 1.0)) for value in values)
    return red, green, blue


def _text(value: Any) -> str:
    if not isinstance(value, str | int | float):
        raise ValueError("a text is a string")
    return sendable(str(value)[:1000])


def _path(name: str) -> str:
    """A step of a path for each name."""
    return name if re.fullmatch(r"\w{1,64}", name) else f"~{hashlib.sha256(name.encode()).hexdigest()[:16]}"
