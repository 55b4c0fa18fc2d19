"""Makes pictures in this process, each at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from ubersim.render.cache import ByteCache
from ubersim.render.jobs import Job, Picture, blank, copied, shape_of
from ubersim.render.scene import Scene

T = TypeVar("T")

MOST_SPARE = 64 * 2**20
"""Bytes of pictures that are kept for the next ones of their size."""


class InlineRenderer:
    """Makes each picture at once, in this process."""

    def __init__(self, scene: Scene | None = None) -> None:
        # Only a program that draws needs OpenGL.
        from ubersim.render.renderer import Renderer

        self._renderer = Renderer(scene or Scene())
        self._pictures: dict[int, tuple[Job, Picture]] = {}
        self._spare: ByteCache[Picture] = ByteCache(MOST_SPARE)
        self._tickets = 0

    def set_scene(self, scene: Scene) -> None:
        """What jobs submitted from now on show."""
        self._renderer.set_scene(scene)

    def submit(self, job: Job) -> int:
        """Draws; the ticket fetches the picture."""
        picture = self._spare.take((shape_of(job.camera, job.output), job.output))
        if picture is None:
            picture = blank(job.camera, job.output)
        self._renderer.draw(job, picture)
        self._tickets += 1
        self._pictures[self._tickets] = (job, picture)
        return self._tickets

    def collect(self, ticket: int, out: Picture | None = None) -> Picture:
        """The picture, top row first."""
        return self._pictures.pop(ticket)[1] if out is None else self.fetch(ticket, partial(copied, out=out))

    def fetch(self, ticket: int, read: Callable[[Picture], T]) -> T:
        """Has the picture read where it lies."""
        job, picture = self._pictures.pop(ticket)
        # Fresh memory costs more than a copy: keep one of each kind.
        self._spare.put((picture.shape, job.output), picture, picture.nbytes)
        return read(picture)

    def discard(self, ticket: int) -> None:
        """Forgets a picture that is not wanted any more."""
        del self._pictures[ticket]

    def close(self) -> None:
        """Frees everything."""
        self._renderer.close()

    def __enter__(self) -> InlineRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
