"""Of every kind of solid: the sphere around it holds it, and the points that are looked for are in it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.documents import body, robot, vector
from ubersim.description import read_robot
from ubersim.description.base import Solid
from ubersim.simulation.aim_points import AimPoints, sphere_around

SIZES = {
    "Box": "<XSize>0.3</XSize><YSize>0.5</YSize><ZSize>0.1</ZSize>",
    "Sphere": "<Radius>0.2</Radius>",
    "CappedCylinder": "<Radius>0.1</Radius><Height>0.4</Height>",
    "Cylinder": "<Radius>0.1</Radius><Height>0.4</Height>",
    "Mesh": "<Vertices>0 0 0  1 0 0  0 1 0  0 0 1</Vertices><Triangles>0 2 1  0 1 3  0 3 2  1 2 3</Triangles>",
}
DIRECTIONS = np.random.default_rng(1).normal(size=(200, 3))
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)


def solid(kind: str) -> Solid:
    placed = vector("Position", 0.3, -0.2, 0.5) + vector("Rotation", 20, 30, 40)
    text = f'<{kind} name="It"><Mass>1</Mass>{SIZES[kind]}{placed}<Material>Wood</Material></{kind}>'
    return read_robot(robot(body(text))).bodies[0].solids[0]


def farthest(of: Solid) -> np.ndarray:
    """How far it goes in each direction, from the origin."""
    return np.array([of.extent(direction) for direction in DIRECTIONS])


@pytest.mark.parametrize("kind", SIZES)
def test_the_sphere_around_a_solid_holds_it(kind: str) -> None:
    it = solid(kind)
    center, radius = sphere_around([it])
    beyond = farthest(it) - DIRECTIONS @ center
    assert beyond.max() <= radius + 1e-12
    assert beyond.max() > 0.5 * radius


@pytest.mark.parametrize("kind", SIZES)
def test_what_is_looked_for_is_in_the_solid(kind: str) -> None:
    it = solid(kind)
    aims = AimPoints.of_statics([it]).aims
    assert len(aims) >= 4
    assert (aims @ DIRECTIONS.T <= farthest(it) + 1e-12).all()
