"""Shadow maps that are drawn anew in part are those that would be drawn as a whole."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from ubersim.geometry import rotation_xyz
from ubersim.render import (
    Camera,
    DirectionalSource,
    InlineRenderer,
    Job,
    Lights,
    Picture,
    PointSource,
    Scene,
    Shape,
    SpotSource,
    TriangleMesh,
    shadows,
)
from ubersim.render.frustum import looking, orthographic, perspective
from ubersim.render.map_windows import reached, within
from ubersim.render.plan import FACES, View
from ubersim.render.scene import Light
from ubersim.render.shapes import Kind

Array = NDArray[np.float64]

SIZE = 256
SUN, SPOT = DirectionalSource((0.3, 0.5, -1.0)), SpotSource((0.5, 0.0, 3.0), (0.0, 0.6, -1.0), cone=0.9)
BULB = PointSource((0.0, 0.1, 0.3), (0.1, 0.1, 0.1), body=1)
LIGHTS: dict[str, tuple[Light, ...]] = {
    "a sun": (SUN,),
    "a spot": (SPOT,),
    "a lamp": (PointSource((0.0, 2.0, 1.5), shadow=True),),
    "a sun, and a headlight that moves": (SUN, SpotSource((0.0, 0.1, 0.0), (0.0, 1.0, 0.0), body=0)),
    "a sun, and as many lamps as come with the vertices": (SUN, *[BULB] * 5),
    "a sun, and more lamps than that": (SUN, *[BULB] * 6),
    "four suns": (SUN, DirectionalSource((1, 0, -1)), DirectionalSource((-1, 0, -1)), DirectionalSource((0, 1, -1))),
}
TRIANGLE = np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.1], [0.0, 0.4, 0.3]])
TINTED = TriangleMesh(TRIANGLE, np.array([[0, 1, 2]]), tints=np.full((1, 3, 3), 200, np.uint8))
BODIES = 6
NOWHERE = float("nan")
"""Where a body is that physics has lost."""


def scene(lights: tuple[Light, ...]) -> Scene:
    """Things that move, over things that do not."""
    kinds: tuple[tuple[Kind, tuple[float, ...]], ...]
    kinds = (("sphere", (0.15,)), ("box", (0.2, 0.3, 0.2)), ("cylinder", (0.1, 0.3)))
    moving = [Shape(kind, size, body=n) for n, (kind, size) in enumerate(kinds * (BODIES // 3))]
    fixed = [Shape("box", (0.3, 0.3, 0.6), position=(0.7 * n - 1.5, 2.5, 0.3)) for n in range(5)]
    mesh = Shape("mesh", (), mesh=TINTED, position=(0.0, 1.5, 0.2))
    return Scene((*fixed, mesh, *moving), lights=Lights(lights, shadow_size=SIZE))


def places() -> list[Array]:
    """One after the other: one thing moves, none, all, one gets lost, one is far away, all are back."""
    chance = np.random.default_rng(3)
    start = np.stack([chance.uniform(-1.5, 1.5, BODIES), chance.uniform(1, 3, BODIES), np.full(BODIES, 0.7)], axis=1)
    one, lost, far = start.copy(), start.copy(), start.copy()
    one[2] += (0.05, -0.1, 0.02)
    lost[3] = NOWHERE
    far[3] = (0.0, 15.0, 1.0)
    return [start, one, one, start + 0.1, lost, lost, far, start]


def picture(renderer: InlineRenderer, positions: Array, step: int) -> Picture:
    turned = np.stack([rotation_xyz((0.1 * (step // 2), 0.2, 0.3 * n)) for n in range(BODIES)])
    camera = Camera(96, 72, math.radians(70.0), shadows=True)
    eye, down = np.array([0.0, -0.5, 1.6]), rotation_xyz((-0.4, 0.0, 0.0))
    return renderer.collect(renderer.submit(Job(camera, eye, down, positions, turned)))


@pytest.mark.parametrize("lights", LIGHTS)
def test_pictures_do_not_depend_on_what_was_drawn_before(lights: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, windows = scene(LIGHTS[lights]), []

    def watched(*arguments: object) -> object:
        windows.append(reached(*arguments))  # type: ignore[arg-type]
        return windows[-1]

    with InlineRenderer(shown) as renderer, InlineRenderer(shown) as forgetful:
        for step, positions in enumerate(places()):
            monkeypatch.setattr(shadows, "reached", watched)
            kept = picture(renderer, positions, step)
            monkeypatch.setattr(shadows, "reached", reached)
            forgetful.set_scene(shown)
            assert np.array_equal(kept, picture(forgetful, positions, step)), step
            dark = int(np.ptp(kept[..., 1]))
            assert dark > 30
    assert any(0 < wide * high < SIZE * SIZE for _, _, wide, high in windows)


def corners(centres: Array, radii: Array) -> Array:
    """Points all over spheres, (N, 3)."""
    towards = np.random.default_rng(0).normal(size=(400, 3))
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    points: Array = (centres[:, None] + radii[:, None, None] * towards).reshape(-1, 3)
    return points


@pytest.mark.parametrize("rays", ["parallel", "from an eye"])
def test_a_window_holds_what_spheres_cover(rays: str) -> None:
    eye = np.array([0.1, -4.0, 0.2])
    view = View(FACES[0], -0.8, 0.8, -0.8, 0.8, (0, 0), (SIZE, SIZE))
    matrix = (orthographic(3.0) if rays == "parallel" else perspective(view, 0.1, 9.0)) @ looking(FACES[0], eye)
    centres, radii = np.array([[0.3, 0.1, -0.2], [1.1, -1.0, 0.5]]), np.array([0.2, 0.4])
    left, top, wide, high = reached(matrix, centres, radii, SIZE)
    clip = np.hstack([corners(centres, radii), np.ones((800, 1))]) @ matrix.T
    pixels = (clip[:, :2] / clip[:, 3:] + 1) / 2 * SIZE
    assert (pixels >= (left, top)).all() and (pixels <= (left + wide, top + high)).all()
    assert (pixels.min(axis=0) < (left + 12, top + 12)).all()  # it is not much larger than that
    assert (pixels.max(axis=0) > (left + wide - 12, top + high - 12)).all()
    inside = np.hstack([corners(centres, radii), np.ones((800, 1))]) @ within(matrix, (left, top, wide, high), SIZE).T
    assert (np.abs(inside[:, :2]) <= inside[:, 3:]).all()


def test_what_reaches_behind_the_eye_may_be_everywhere_and_what_is_lost_is_nowhere() -> None:
    view = View(FACES[0], -1.0, 1.0, -1.0, 1.0, (0, 0), (SIZE, SIZE))
    matrix = perspective(view, 0.1, 9.0) @ looking(FACES[0], np.zeros(3))
    assert reached(matrix, np.array([[0.0, 0.1, 0.0]]), np.array([0.2]), SIZE) == (0, 0, SIZE, SIZE)
    assert reached(matrix, np.array([[NOWHERE, 1.0, 0.0]]), np.array([0.2]), SIZE) == (0, 0, 0, 0)
    there, lost = np.array([[0.0, 3.0, 0.0]]), np.array([[0.0, NOWHERE, 0.0]])
    radii = np.array([0.2, 0.2])
    assert reached(matrix, np.vstack([there, lost]), radii, SIZE) == reached(matrix, there, radii[:1], SIZE)
