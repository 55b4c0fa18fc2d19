"""Drawings of programs in the pixels of a camera, over its pictures wherever these are shown."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.render.annotations import Annotation, annotated, read_annotation
from ubersim.viewer.page import Page

MOST = 64
"""Drawings that are kept at once, of all cameras together."""
_BETWEEN_COMPLAINTS = 5.0
"""[s]"""

Key = tuple[str, str]
"""Robot, and name of the drawing."""


class PictureDrawings:
    """The newest of each robot and name; read when the picture is shown, for most are replaced before that."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._said: dict[Key, tuple[str, Mapping[str, Any]]] = {}
        self._read: dict[Key, Annotation] = {}
        self._shown = True
        self._complained = -_BETWEEN_COMPLAINTS
        self.changes = 0
        """How often anything has changed."""

    def take(self, robot: str, camera: str, name: str, content: Mapping[str, Any]) -> None:
        """A drawing in the pixels of a camera that is to replace the last of its name."""
        key = robot, name
        if key in self._said or len(self._said) < MOST:
            self.forget(robot, name)
            self._said[key] = camera, content
            self.changes += 1

    def forget(self, robot: str, name: str) -> None:
        """Takes a drawing away, if there is one."""
        self._read.pop((robot, name), None)
        if self._said.pop((robot, name), None) is not None:
            self.changes += 1

    def keep(self, robots: Collection[str]) -> None:
        """Takes away those of all other robots."""
        for robot, name in [key for key in self._said if key[0] not in robots]:
            self.forget(robot, name)

    def show(self, shown: bool) -> None:
        """Whether they are to be seen."""
        self._shown = shown
        self.changes += 1

    def over(self, picture: NDArray[np.uint8], robot: str, camera: str) -> NDArray[np.uint8]:
        """A picture of a robot's camera, with what its program has drawn."""
        keys = [key for key, (where, _) in self._said.items() if key[0] == robot and where == camera]
        found = [one for key in keys if (one := self._annotation(key)) is not None]
        return annotated(picture, found) if found and self._shown else picture

    def _annotation(self, key: Key) -> Annotation | None:
        if key not in self._read:
            try:
                self._read[key] = read_annotation(self._said[key][1])
            except Exception as error:  # whatever a program has said, the page goes on
                del self._said[key]
                self._complain(f"the drawing {key[1]!r:.80} of {key[0]}: {error!s:.200}")
        return self._read.get(key)

    def _complain(self, reason: str) -> None:
        now = time.monotonic()
        if now - self._complained >= _BETWEEN_COMPLAINTS:
            self._complained = now
            self._page.show_error(reason)
