"""Cameras that see another class of radiation: exact values of what is reflected, emitted and lit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.render.conftest import Shoot
from ubersim.errors import RenderError
from ubersim.render import (
    Camera,
    DirectionalSource,
    GroundPlane,
    InlineRenderer,
    Job,
    Lights,
    PointSource,
    Scene,
    Shape,
)
from ubersim.render.scene import Sky
from ubersim.render.shapes import TriangleMesh

CAMERA = Camera(64, 48, fov=math.radians(60), radiation="infrared", form="grey")
RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
WALL = Shape("box", (4, 0.1, 4), RED, position=(0, 2.05, 0), radiation=((0.6, 0.0), (0.2, 0.5)))
LIGHTS = Lights((), radiation=(0.25, 0.0), above=(1, 1, 1), below=(1, 1, 1))
SCENE = Scene((WALL,), None, Sky(radiation=(0.3, 0.0)), LIGHTS, radiation=("infrared", "thermal"))


def test_what_a_material_reflects_of_what_comes_from_everywhere(shoot: Shoot) -> None:
    """A byte holds the square root of linear light: 0.6 * sqrt(0.25) of 255."""
    assert (shoot(SCENE, CAMERA) == round(0.6 * 0.5 * 255)).all()


def test_what_it_emits_is_seen_in_the_dark(shoot: Shoot) -> None:
    picture = shoot(SCENE, replace(CAMERA, radiation="thermal"))
    assert np.abs(picture.astype(int) - 0.5 * 255).max() <= 1


def test_colours_do_not_matter_and_stay_as_they_are(shoot: Shoot) -> None:
    blue = replace(SCENE, shapes=(replace(WALL, color=BLUE),))
    assert np.array_equal(shoot(SCENE, CAMERA), shoot(blue, CAMERA))
    visible = replace(CAMERA, radiation="light", form="bgra")
    assert (shoot(SCENE, visible)[..., :3] == [0, 0, 255]).all()
    assert (shoot(blue, visible)[..., :3] == [255, 0, 0]).all()


def test_one_renderer_sees_all_classes_in_turn() -> None:
    """Colours come back after a picture in another class."""
    forms = [
        replace(CAMERA, radiation=name, form="bgra") for name in ("light", "infrared", "thermal", "light", "infrared")
    ]
    with InlineRenderer(SCENE) as renderer:
        origin = np.zeros(3), np.eye(3), np.zeros((0, 3)), np.zeros((0, 3, 3))
        pictures = [renderer.collect(renderer.submit(Job(camera, *origin))) for camera in forms]
    assert np.array_equal(pictures[0], pictures[3])
    assert np.array_equal(pictures[1], pictures[4])
    assert len({picture.tobytes() for picture in pictures}) == 3


def test_emitters_of_the_class_light_it_by_the_cosine(shoot: Shoot) -> None:
    """A lamp that sends infrared alone: nothing of it is visible, and it falls off as lamps do."""
    lamp = PointSource((0.0, 0.0, 0.0), (0, 0, 0), reach=2.0, radiation=(0.8, 0.0))
    dark = replace(LIGHTS, sources=(lamp,), radiation=(0.0, 0.0), above=(0, 0, 0), below=(0, 0, 0))
    scene = replace(SCENE, lights=dark)
    picture = shoot(scene, CAMERA).astype(float)
    across, down = np.meshgrid(np.arange(64) + 0.5 - 32, np.arange(48) + 0.5 - 24)
    square = 4 * (1 + (across**2 + down**2) / CAMERA.focal**2)  # of the distance to the wall at 2 m
    linear = 0.6**2 * 0.8 * (2 / np.sqrt(square)) / (1 + square / 4)
    assert np.abs(picture - 255 * np.sqrt(linear)).max() <= 1
    assert not shoot(scene, replace(CAMERA, radiation="light")).any()
    assert np.abs(shoot(scene, replace(CAMERA, radiation="thermal")).astype(int) - 127.5).max() <= 1


def test_ground_and_sky_have_their_values(shoot: Shoot) -> None:
    ground = GroundPlane(-1.0, fade=0, radiation=((0.5, 0.0), (0.0, 0.4)))
    scene = replace(SCENE, shapes=(), ground=ground)
    for name, above, below in (("infrared", 0.3, 0.25), ("thermal", 0.0, 0.4)):
        picture = shoot(scene, replace(CAMERA, radiation=name)).astype(int)
        assert np.abs(picture[:20] - 255 * above).max() <= 1
        assert np.abs(picture[28:] - 255 * below).max() <= 1


def test_a_painted_mesh_is_as_its_material_says(shoot: Shoot) -> None:
    corners = np.array([[-2, 0, -2], [2, 0, -2], [2, 0, 2], [-2, 0, 2]], float)
    tints = np.zeros((2, 3, 3), np.uint8)
    mesh = TriangleMesh(corners, np.array([[0, 1, 2], [0, 2, 3]]), tints=tints)
    shape = Shape("mesh", color=RED, position=(0, 2, 0), mesh=mesh, radiation=WALL.radiation)
    assert (shoot(replace(SCENE, shapes=(shape,)), CAMERA) == round(0.6 * 0.5 * 255)).all()


def test_suns_cast_shadows_in_it_too(shoot: Shoot) -> None:
    sun = DirectionalSource((0, 1, 0), (0, 0, 0), radiation=(1.0, 0.0))
    hider = Shape("box", (0.2, 0.2, 0.2), position=(0, 1.5, 0), radiation=((0.0, 0.0), (0.0, 0.0)))
    behind = replace(CAMERA, shadows=True)
    scene = replace(SCENE, shapes=(WALL, hider), lights=replace(LIGHTS, sources=(sun,), radiation=(0.0, 0.0)))
    picture = shoot(scene, behind, at=(1.0, 0, 0))
    lit, shaded = 255 * 0.6, picture[24, 32 - round(CAMERA.focal * 0.5)]  # the wall behind the hider, seen past it
    assert shaded == 0
    assert abs(int(picture[24, 50]) - lit) <= 1


def test_a_class_that_nobody_knows(shoot: Shoot) -> None:
    with pytest.raises(RenderError, match="no radiation 'x-rays'; there is light, infrared, thermal"):
        shoot(SCENE, replace(CAMERA, radiation="x-rays"))
