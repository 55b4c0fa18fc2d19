"""One renderer for all tests, and a few words for making pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from ubersim.render import Camera, InlineRenderer, Job, Picture, Scene

Array = NDArray[np.float64]
Shoot = Callable[..., Picture]


@pytest.fixture(scope="session")
def renderer() -> Iterator[InlineRenderer]:
    with InlineRenderer() as made:
        yield made


@pytest.fixture
def shoot(renderer: InlineRenderer) -> Shoot:
    """Takes a picture of a scene whose bodies, if any, are at the given positions; the camera is at the origin."""

    def take(
        scene: Scene,
        camera: Camera,
        output: str = "image",
        *,
        at: tuple[float, float, float] = (0.0, 0.0, 0.0),
        rotation: Array | None = None,
        positions: Array | None = None,
        rotations: Array | None = None,
        frame: int = 0,
    ) -> Picture:
        positions = np.zeros((0, 3)) if positions is None else np.asarray(positions, float)
        rotations = np.tile(np.eye(3), (len(positions), 1, 1)) if rotations is None else rotations
        turned = np.eye(3) if rotation is None else rotation
        renderer.set_scene(scene)
        job = Job(camera, np.array(at), turned, positions, rotations, output, frame)  # type: ignore[arg-type]
        return renderer.collect(renderer.submit(job))

    return take
