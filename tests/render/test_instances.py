"""What is drawn at all."""

from __future__ import annotations

import numpy as np
import pytest

from tests.render.conftest import Shoot
from ubersim.render import Camera, GroundPlane, Scene, Shape, instances
from ubersim.render.instances import Instances
from ubersim.render.light_frusta import Region, region
from ubersim.render.shapes import Kind

EVERYWHERE = np.tile([0.0, 0.0, 0.0, 1.0], (6, 1))
"""Planes that all of space is inside of."""
AHEAD = Shape("box", (0.2, 0.2, 0.2), position=(0.0, 1.0, 0.0))
ROUND: list[tuple[Kind, tuple[float, ...], float]] = [
    ("sphere", (0.1,), 0.1), ("capsule", (0.1, 0.4), 0.1),
    ("cylinder", (0.1, 0.5), 0.1), ("cylinder", (0.4, 0.04), 0.02),
]  # fmt: skip
"""Shapes, and how far a ball reaches that fits inside of each [m]."""


def drawn(shape: Shape, away: float) -> int:
    """Shapes that are drawn for an eye so far above the middle of a round one."""
    placed = Instances(Scene((shape, AHEAD)))
    placed.place(np.zeros((0, 3)), np.zeros((0, 3, 3)))
    eye = np.array([0.0, 0.0, away])
    return sum(len(records) for _, records in placed.select(EVERYWHERE, eye, 300.0, np.arange(5.0)))


@pytest.mark.parametrize(("kind", "size", "reach"), ROUND)
def test_a_round_shape_around_the_eye_is_left_out(kind: Kind, size: tuple[float, ...], reach: float) -> None:
    shape = Shape(kind, size)
    assert [drawn(shape, share * reach) for share in (0.0, 0.98, 1.0, 1.5)] == [1, 1, 2, 2]


@pytest.mark.parametrize("output", ["image", "depth", "segmentation"])
@pytest.mark.parametrize(("kind", "size", "reach"), ROUND)
def test_that_makes_no_difference_to_any_pixel(
    shoot: Shoot, monkeypatch: pytest.MonkeyPatch, kind: Kind, size: tuple[float, ...], reach: float, output: str
) -> None:
    scene = Scene((Shape(kind, size, object_id=3), AHEAD), GroundPlane(height=-1.0))
    for share in (0.0, 0.5, 0.985):
        at = (0.0, 0.3 * share * reach, 0.95 * share * reach)
        taken = shoot(scene, Camera(64, 48), output, at=at)
        with monkeypatch.context() as patch:
            patch.setattr(instances, "INSIDE", 0.0)
            assert np.array_equal(taken, shoot(scene, Camera(64, 48), output, at=at))


def test_a_shadow_map_of_things_that_are_all_too_large_has_its_reach() -> None:
    placed = Instances(Scene((AHEAD,)))
    placed.place(np.zeros((0, 3)), np.zeros((0, 3, 3)))
    assert region(placed, 0.01) == Region((0.0, 1.0, 0.0), 0.01)
