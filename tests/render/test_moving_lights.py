"""Lamps on bodies: the picture is that of a lamp fixed at the same place in the world."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.render.conftest import Shoot
from ubersim.geometry import rotation_xyz
from ubersim.render import Camera, DirectionalSource, Lights, PointSource, Scene, Shape, SpotSource
from ubersim.render.scene import Light

DOWN = rotation_xyz((-math.pi / 2, 0, 0))
BODY = np.array([[0.5, -0.3, 1.0]])
TURN = rotation_xyz((0.4, 0.3, 1.1))
SUN = DirectionalSource((0, 0.3, -1), (0.2, 0.2, 0.2), shadow=False)
BALLS = tuple(Shape("sphere", (0.1,), position=(0.4 * math.cos(a), 0.4 * math.sin(a), 0.3)) for a in range(6))


def pictures(shoot: Shoot, light: Light, body: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """With the lamp on a body that is turned and moved, and fixed where it then is."""
    assert not isinstance(light, DirectionalSource)
    x, y, z = BODY[0] + TURN @ np.array(light.position)
    fixed: Light = replace(light, position=(float(x), float(y), float(z)))
    if isinstance(fixed, SpotSource):
        a, b, c = TURN @ np.array(fixed.direction)
        fixed = replace(fixed, direction=(float(a), float(b), float(c)))
    found = []
    for source in (replace(light, body=body), fixed):
        scene = Scene(BALLS, lights=Lights((source, SUN)))
        camera = Camera(200, 150, shadows=True)
        found.append(
            shoot(scene, camera, at=(0, 0, 2.0), rotation=DOWN, positions=BODY, rotations=TURN[None]).astype(int)
        )
    return found[0], found[1]


@pytest.mark.parametrize("shadow", [False, True])
@pytest.mark.parametrize(
    "light",
    [
        PointSource((0.1, 0.2, -0.1), (1, 0.5, 0.2), reach=2.0),
        SpotSource((0.1, 0.2, -0.1), (0.2, 0.1, -1.0), (1, 0.5, 0.2), reach=2.0),
    ],
)
def test_it_shines_from_where_its_body_is(shoot: Shoot, light: Light, shadow: bool) -> None:
    moving, fixed = pictures(shoot, replace(light, shadow=shadow))
    assert np.abs(moving - fixed).max() <= 1
    assert np.ptp(fixed[..., 2]) > 80  # there was something to see


def test_shadows_follow_a_lamp_whose_body_has_no_shape(shoot: Shoot) -> None:
    """Nothing else moves between the two pictures, so the maps must not be taken for current."""
    scene = Scene(BALLS, lights=Lights((PointSource((0, 0, 0), reach=3.0, shadow=True, body=0),)))
    camera, turned = Camera(200, 150, shadows=True), np.eye(3)[None]
    first, second, again = (
        shoot(scene, camera, at=(0, 0, 2.0), rotation=DOWN, positions=np.array([[x, 0, 1.0]]), rotations=turned)
        for x in (-0.5, 0.5, -0.5)
    )
    assert np.array_equal(first, again)
    assert (np.abs(first.astype(int) - second)[..., 2] > 40).mean() > 0.05


def test_more_lamps_than_can_be_drawn_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 64, of which at most 4"):
        Lights((PointSource((0, 0, 1)),) * 65)
