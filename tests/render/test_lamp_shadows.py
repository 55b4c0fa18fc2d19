"""Shadows of a bulb, in all directions: against rays from the lamp to every pixel's place."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.render.conftest import Shoot
from ubersim.description import read_world
from ubersim.geometry import rotation_xyz
from ubersim.protocol.to_json import to_json
from ubersim.render import Camera, DirectionalSource, GroundPlane, Lights, PointSource, Scene, Shape, SpotSource
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of

DOWN = rotation_xyz((-math.pi / 2, 0, 0))
"""Turns a camera to look straight down, with +y of the world up in the picture."""
LAMP = (0.0, 0.0, 1.0)
AMBIENT = Lights(sources=(), above=(0.1, 0.1, 0.1), below=(0.1, 0.1, 0.1))
GROUND = GroundPlane(color=(1, 1, 1), tile=0, fade=0)
BALL = 0.12
PLACES = [
    (0.7 * math.cos(angle), 0.7 * math.sin(angle), height)
    for angle, height in zip(np.arange(0.1, 6.28, math.pi / 6), [0.3, 0.45, 0.2] * 4, strict=False)
]
"""Balls all around, some where two sides of the cube meet."""


def hidden(places: np.ndarray, lamp: tuple[float, float, float], radius: float) -> np.ndarray:
    """Which places a ball of that radius keeps the lamp's light from."""
    result = np.zeros(places.shape[:-1], bool)
    for centre in PLACES:
        way = places - lamp
        to_ball = np.subtract(centre, lamp)
        share = np.clip((way @ to_ball) / (way**2).sum(axis=-1), 0, 1)
        nearest = np.asarray(lamp) + share[..., None] * way
        result |= np.linalg.norm(nearest - centre, axis=-1) < radius
    return result


@pytest.mark.parametrize("softness", [0, 2])
@pytest.mark.parametrize(
    "others", [(), (SpotSource((0, 0, 3), (0, 0, -1), (0, 0, 0)), DirectionalSource(color=(0, 0, 0)))]
)
def test_shadows_of_a_lamp_fall_all_around_it(
    shoot: Shoot, softness: int, others: tuple[SpotSource | DirectionalSource, ...]
) -> None:
    lamp = PointSource(LAMP, (1, 1, 1), reach=20.0, shadow=True)
    lights = replace(AMBIENT, sources=(lamp, *others), shadow_softness=softness)
    balls = tuple(Shape("sphere", (BALL,), position=place, object_id=1) for place in PLACES)
    scene = Scene(balls, GROUND, lights=lights)
    camera = Camera(400, 400, fov=math.radians(100), shadows=True)
    picture, ids = (shoot(scene, camera, output, at=(0, 0, 2.5), rotation=DOWN) for output in ("image", "segmentation"))
    across, down = np.meshgrid(np.arange(400) + 0.5 - 200, np.arange(400) + 0.5 - 200)
    places = np.stack([across, -down, np.zeros_like(across)], axis=-1) * 2.5 / camera.focal
    ground = ids == 0
    dark = picture[..., 0] < 130
    surely, perhaps = hidden(places, LAMP, 0.9 * BALL), hidden(places, LAMP, 1.1 * BALL)
    assert (surely & ground).sum() > 4000
    assert dark[surely & ground].all()
    near = np.linalg.norm(places, axis=-1) < 2.2  # farther out the lamp itself is too weak at this angle
    assert not dark[~perhaps & ground & near].any()


def test_a_lamp_without_shadows_has_none(shoot: Shoot) -> None:
    ball = Shape("sphere", (BALL,), position=PLACES[0])
    pictures = []
    for shapes in ((ball,), ()):
        lights = replace(AMBIENT, sources=(PointSource(LAMP, reach=20.0),))
        camera = Camera(shadows=True)
        pictures.append(shoot(Scene(shapes, GROUND, lights=lights), camera, at=(-0.6, 0, 0.5), rotation=DOWN))
    assert np.array_equal(pictures[0], pictures[1])


def test_lit_walls_do_not_shade_themselves(shoot: Shoot) -> None:
    """A lamp in a room: all six of its sides are lit, to the corners."""
    thick, half = 0.1, 1.5
    walls = []
    for axis in range(3):
        for sign in (-1, 1):
            size, place = [2 * half + 2 * thick] * 3, [0.0, 0.0, 0.0]
            size[axis], place[axis] = thick, sign * (half + thick / 2)
            x, y, z = place
            walls.append(Shape("box", (size[0], size[1], size[2]), (1, 1, 1), position=(x, y, z)))
    lamp = PointSource((0.3, -0.2, 0.4), (1, 1, 1), reach=50.0, shadow=True)
    lights = replace(AMBIENT, sources=(lamp,))
    for turn in [(0, 0, k * math.pi / 2) for k in range(4)] + [(math.pi / 2, 0, 0), (-math.pi / 2, 0, 0)]:
        scene = Scene(tuple(walls), None, lights=lights)
        camera = Camera(200, 200, fov=math.radians(95))
        with_shadows, without = (
            shoot(scene, replace(camera, shadows=wanted), at=(0, 0, 0), rotation=rotation_xyz(turn)).astype(int)
            for wanted in (True, False)
        )
        assert np.abs(with_shadows - without).max() <= 1


def test_a_world_says_so() -> None:
    light = "<PointLight name='P'><Position><x>0</x><y>0</y><z>2</z></Position>{}</PointLight>"
    for text, shadow in (("", False), ("<CastsShadow>true</CastsShadow>", True)):
        with Simulation(read_world(f"<World><Lights>{light.format(text)}</Lights></World>")) as simulation:
            (source,) = scene_of(simulation).lights.sources
            assert source.shadow == shadow
            assert to_json(scene_of(simulation))["lights"]["sources"][0]["shadow"] == shadow


@pytest.mark.parametrize("wrong", [{"shadow_size": 8}, {"shadow_softness": 5}, {"shadow_reach": 0.0}])
def test_shadow_maps_have_bounds(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="shadow_size is 16 to 4096, shadow_softness 0 to 4, shadow_reach above 0"):
        Lights(**wrong)
