"""Cameras refuse what makes no sense, and the lens's distortion is the one that everybody calibrates."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ubersim.render import Camera, LensModel, MirrorModel, Scene, Shape, TriangleMesh, project
from ubersim.render.projections import distort, undistort


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"width": 0}, "width"),
        ({"height": 5000}, "width"),
        ({"fov": 0.0}, "fov"),
        ({"fov": math.pi}, "fov"),
        ({"fov": math.nan}, "fov"),
        ({"fov": 7.0, "projection": "fisheye"}, "fov"),
        ({"near": 0.0}, "near"),
        ({"near": 2.0, "far": 1.0}, "near"),
        ({"far": math.inf}, "near"),
        ({"brightness": -1.0}, "brightness"),
        ({"noise": math.nan}, "noise"),
        ({"samples": 3}, "samples"),
        ({"projection": "cubist"}, "projection"),
        ({"lens": LensModel(vignetting=2.0)}, "vignetting"),
        ({"lens": LensModel(aperture=0.01), "projection": "fisheye"}, "depth of field"),
        ({"mirror": MirrorModel(a=0.0)}, "mirror"),
    ],
)
def test_senseless_cameras_are_refused(wrong: dict[str, object], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Camera(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "teapot"},
        {"kind": "box", "size": (1.0, 1.0)},
        {"kind": "sphere", "size": (-1.0,)},
        {"kind": "sphere", "size": (math.inf,)},
        {"kind": "mesh"},
        {"kind": "sphere", "size": (1.0,), "object_id": 65536},
        {"kind": "sphere", "size": (1.0,), "body": -2},
    ],
)
def test_senseless_shapes_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="shape"):
        Shape(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("triangles", [np.zeros((0, 3), int), np.array([[0, 1, 3]]), np.array([[0, -1, 2]])])
def test_senseless_meshes_are_refused(triangles: np.ndarray) -> None:
    with pytest.raises(ValueError, match="mesh"):
        TriangleMesh(np.eye(3), triangles)


def test_bodies_are_counted_by_the_highest_row() -> None:
    assert Scene().bodies == 0
    assert Scene((Shape("sphere", (1.0,), body=4), Shape("sphere", (1.0,)))).bodies == 5


def test_distortion_has_the_usual_signs() -> None:
    """By hand: x' = x(1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2 x²), y' alike with p1 and p2 exchanged."""
    lens = LensModel(k1=0.1, k2=0.01, k3=0.001, p1=0.02, p2=0.03)
    x, y = distort(lens, np.array([0.5, -0.5]))
    gain = 1 + 0.1 * 0.5 + 0.01 * 0.25 + 0.001 * 0.125
    assert x == pytest.approx(0.5 * gain + 2 * 0.02 * -0.25 + 0.03 * (0.5 + 0.5))
    assert y == pytest.approx(-0.5 * gain + 0.02 * (0.5 + 0.5) + 2 * 0.03 * -0.25)


def test_barrel_distortion_pulls_corners_inwards() -> None:
    point = (0.5, 1.0, 0.4)
    ideal, pulled = project(Camera(), point), project(Camera(lens=LensModel(k1=-0.2)), point)
    assert np.linalg.norm(pulled - [160, 120]) < np.linalg.norm(ideal - [160, 120])


def test_undistort_is_the_inverse_and_knows_where_there_is_none() -> None:
    lens = LensModel(k1=-0.3, p1=0.002)
    # The fold is where r - 0.3 r³ stops growing: r = 1.054, which lands at 0.703.
    inside = np.stack(np.meshgrid(np.linspace(-0.45, 0.45, 9), np.linspace(-0.45, 0.45, 9)), -1)
    np.testing.assert_allclose(distort(lens, undistort(lens, inside)), inside, atol=1e-8)
    assert np.linalg.norm(undistort(lens, inside), axis=-1).max() < 1.06
    assert np.isnan(undistort(lens, np.array([[0.9, 0.3]]))).all()
