"""What links weigh whose file says nothing, against formulas of solid bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ubersim.description.mesh_library import PaintedMesh
from ubersim.geometry import Pose
from ubersim.importers.model import LinkShape, ShapeKind
from ubersim.importers.shape_mass import DENSITY, mass_of

TURNED = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""x becomes y, y becomes z, z becomes x."""
R, H = 0.1, 0.5
ROD, BALL = DENSITY * math.pi * R**2 * H, DENSITY * 4 / 3 * math.pi * R**3
SIDE = ROD * (3 * R**2 + H**2) / 12 + BALL * (2 / 5 * R**2 + H**2 / 4 + 3 / 8 * H * R)
"""A capsule about an axis through its middle: that of the rod, and of two half balls at its ends."""


@pytest.mark.parametrize(
    ("kind", "size", "mass", "moments"),
    [
        ("box", (0.2, 0.4, 0.6), 48.0, (48 / 12 * 0.52, 48 / 12 * 0.40, 48 / 12 * 0.20)),
        ("sphere", (R,), BALL, (0.4 * BALL * R**2,) * 3),
        ("cylinder", (R, H), ROD, (ROD * (3 * R**2 + H**2) / 12,) * 2 + (ROD * R**2 / 2,)),
        ("capsule", (R, H), ROD + BALL, (SIDE, SIDE, ROD * R**2 / 2 + 0.4 * BALL * R**2)),
    ],
)
def test_shapes_are_of_water(kind: ShapeKind, size: tuple[float, ...], mass: float, moments: tuple[float, ...]) -> None:
    found = mass_of(LinkShape(kind, Pose(np.array([1.0, 2.0, 3.0]), TURNED), size))
    assert found.mass == pytest.approx(mass)
    assert found.center == pytest.approx([1.0, 2.0, 3.0])
    assert found.inertia == pytest.approx(np.diag([moments[2], moments[0], moments[1]]))


def test_a_mesh_weighs_half_of_its_box() -> None:
    """Where its corners are counts, not where its frame is; a flat one has the least thickness."""
    corners = np.array([(x, y, z) for x in (0.0, 0.2) for y in (0.0, 0.4) for z in (0.0, 0.6)])
    halves = [PaintedMesh(part, np.array([[0, 1, 2]])) for part in (corners[:4], corners[4:])]
    found = mass_of(LinkShape("mesh", Pose(np.array([1.0, 0.0, 0.0])), meshes=halves))
    assert found.mass == pytest.approx(24.0)
    assert found.center == pytest.approx([1.1, 0.2, 0.3])
    assert found.inertia == pytest.approx(np.diag([2 * 0.52, 2 * 0.40, 2 * 0.20]))
    flat = mass_of(LinkShape("mesh", Pose(), meshes=[PaintedMesh(corners[:4], np.array([[0, 1, 2]]))]))
    assert flat.mass == pytest.approx(DENSITY / 2 * 1e-4 * 0.4 * 0.6)
