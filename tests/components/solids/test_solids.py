"""Masses, centres and inertia tensors of solids and of bodies, against closed forms and each other."""

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.rays import cast
from ubersim.components.solids.box import Box
from ubersim.components.solids.capped_cylinder import CappedCylinder
from ubersim.components.solids.cylinder import Cylinder
from ubersim.components.solids.mesh import Mesh
from ubersim.components.solids.sphere import Sphere
from ubersim.description import default_materials
from ubersim.description.base import Solid
from ubersim.description.mass import MassProperties, combined
from ubersim.description.robot import BodyDescription
from ubersim.geometry import Pose, rotation_xyz
from ubersim.physics import World

ORIGIN = (0.0, 0.0, 0.0)
COMMON: dict[str, Any] = {"name": "s", "material": "Wood", "mass": 3.0}
CUBE_CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
CUBE_TRIANGLES = (
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
)  # fmt: skip


def box_mesh(size: tuple[float, float, float], **options: Any) -> Mesh:
    vertices = [coordinate * extent for corner in CUBE_CORNERS for coordinate, extent in zip(corner, size, strict=True)]
    triangles = tuple(corner for triangle in CUBE_TRIANGLES for corner in triangle)
    return Mesh(**{"position": ORIGIN, **COMMON, **options}, vertices=tuple(vertices), triangles=triangles)


SOLIDS: list[tuple[Solid, tuple[float, float, float]]] = [
    (Box(**COMMON, position=ORIGIN, x_size=1, y_size=2, z_size=3), (0.25 * 13, 0.25 * 10, 0.25 * 5)),
    (Sphere(**COMMON, position=ORIGIN, radius=0.5), (0.3, 0.3, 0.3)),
    (Cylinder(**COMMON, position=ORIGIN, radius=2, height=6), (12.0, 12.0, 6.0)),
]


@pytest.mark.parametrize(("solid", "moments"), SOLIDS)
def test_textbook_moments(solid: Solid, moments: tuple[float, float, float]) -> None:
    found = solid.mass_properties()
    assert found.mass == 3.0
    np.testing.assert_array_equal(found.center, 0)
    np.testing.assert_allclose(found.inertia, np.diag(moments), rtol=1e-15)


def test_a_capsule_is_a_cylinder_and_two_hemispheres() -> None:
    radius, height = 0.3, 0.8
    volumes = math.pi * radius**2 * height, 2 / 3 * math.pi * radius**3
    density = 3.0 / (volumes[0] + 2 * volumes[1])
    barrel = Cylinder(name="b", material="W", mass=density * volumes[0], position=ORIGIN, radius=radius, height=height)
    cap = density * volumes[1]
    # A hemisphere: 2/5 m r^2 about any axis through the centre of its ball; its own centre is 3/8 r further out.
    about_ball = 0.4 * cap * radius**2
    across = about_ball - cap * (3 / 8 * radius) ** 2
    caps = [
        MassProperties(
            cap, np.array([0, 0, sign * (height / 2 + 3 / 8 * radius)]), np.diag([across, across, about_ball])
        )
        for sign in (1, -1)
    ]
    expected = combined([barrel.mass_properties(), *caps])
    found = CappedCylinder(**COMMON, position=ORIGIN, radius=radius, height=height).mass_properties()
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=1e-14, atol=1e-16)


def test_composite_inertia_by_hand() -> None:
    """Two unit balls of different mass, 2 m apart along a tilted line, and a box turned by a right angle."""
    one = Sphere(name="1", material="W", mass=1, position=(1, 0, 0), radius=1)
    other = Sphere(name="2", material="W", mass=3, position=(-1, 0, 0), radius=1)
    found = BodyDescription(name="B", primitives=(one, other)).mass_properties()
    np.testing.assert_allclose(found.center, (-0.5, 0, 0))
    # Each ball 2/5 m; distances from the common centre 1.5 and 0.5: 1 * 2.25 + 3 * 0.25 = 3.
    np.testing.assert_allclose(found.inertia, np.diag([1.6, 4.6, 4.6]), rtol=1e-15)

    turned = Box(
        name="3", material="W", mass=12, position=(0, 0, 0), rotation=(0, 0, math.pi / 2), x_size=1, y_size=2, z_size=3
    )
    np.testing.assert_allclose(turned.mass_properties().inertia, np.diag([10.0, 13.0, 5.0]), rtol=1e-15)


def test_products_of_inertia_by_hand() -> None:
    """Two balls on the diagonal of the x-y plane: the product of inertia is minus the sum of m x y."""
    balls = tuple(Sphere(name=str(x), material="W", mass=2, position=(x, x, 0), radius=0.001) for x in (-1.0, 1.0))
    found = BodyDescription(name="B", primitives=balls).mass_properties()
    point = 2 * 0.4 * 2 * 0.001**2
    np.testing.assert_allclose(found.inertia, [[4 + point, -4, 0], [-4, 4 + point, 0], [0, 0, 8 + point]], rtol=1e-14)


@given(
    st.tuples(*[st.floats(-math.pi, math.pi)] * 3),
    st.tuples(*[st.floats(-1e4, 1e4)] * 3),
    st.tuples(*[st.floats(0.01, 10)] * 3),
)
@settings(max_examples=50)
def test_a_box_cut_in_two_is_still_that_box(
    rotation: tuple[float, float, float], position: tuple[float, float, float], size: tuple[float, float, float]
) -> None:
    whole = Box(**COMMON, position=position, rotation=rotation, x_size=size[0], y_size=size[1], z_size=size[2])
    pose = Pose(np.array(position), rotation_xyz(rotation))
    halves = [
        Box(
            name=str(side),
            material="W",
            mass=1.5,
            position=tuple(pose.apply((side * size[0] / 4, 0, 0))),
            rotation=rotation,
            x_size=size[0] / 2,
            y_size=size[1],
            z_size=size[2],
        ).mass_properties()
        for side in (-1, 1)
    ]
    found, expected = combined(halves), whole.mass_properties()
    np.testing.assert_allclose(found.center, expected.center, atol=1e-11)
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=1e-7, atol=1e-11 * max(size))


def test_a_mesh_of_a_box_is_that_box_wherever_its_origin() -> None:
    size, rotation = (0.4, 0.28, 0.08), (0.3, -0.4, 1.0)
    expected = Box(**COMMON, position=(1, 2, 3), rotation=rotation, x_size=0.4, y_size=0.28, z_size=0.08)
    plain = box_mesh(size, position=(1, 2, 3), rotation=rotation)
    offset = np.array([100.0, -50.0, 20.0])
    moved = Mesh(
        **COMMON,
        position=tuple(np.array((1, 2, 3)) - rotation_xyz(rotation) @ offset),
        rotation=rotation,
        vertices=tuple((plain.vertex_array + offset).ravel()),
        triangles=plain.triangles,
    )
    for mesh, tolerance in ((plain, 1e-14), (moved, 1e-10)):
        assert not list(mesh.flaws())
        assert mesh.volume == pytest.approx(0.4 * 0.28 * 0.08)
        found = mesh.mass_properties()
        np.testing.assert_allclose(found.center, (1, 2, 3), rtol=tolerance)
        np.testing.assert_allclose(found.inertia, expected.mass_properties().inertia, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(mesh.bounds(), expected.bounds(), rtol=1e-12)


def test_a_tetrahedron_has_its_textbook_centre_and_inertia() -> None:
    corners = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    mesh = Mesh(
        **{**COMMON, "mass": 1.0}, position=ORIGIN, vertices=corners, triangles=(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
    )
    assert mesh.volume == pytest.approx(1 / 6)
    found = mesh.mass_properties()
    np.testing.assert_allclose(found.center, [0.25] * 3)
    # About the corner: E[x^2] = 1/10 and E[x y] = 1/20; about the centre: 3/80 and -1/80.
    expected = np.full((3, 3), 1 / 80) + np.eye(3) * (6 / 80 - 1 / 80)
    np.testing.assert_allclose(found.inertia, expected, rtol=1e-14)


def test_scale_is_a_factor_on_the_vertices() -> None:
    millimetres = box_mesh((400, 280, 80), scale=0.001)
    np.testing.assert_allclose(
        millimetres.mass_properties().inertia, box_mesh((0.4, 0.28, 0.08)).mass_properties().inertia
    )


CUBE = box_mesh((1, 1, 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"triangles": CUBE.triangles[3:]}, r"the surface is not closed: edge \d-\d has a triangle on one side only"),
        ({"triangles": (*CUBE.triangles[:3], 0, 2, 3, *CUBE.triangles[6:])}, "run through twice the same way"),
        ({"triangles": CUBE.triangles * 2}, "run through twice the same way"),
        ({"triangles": CUBE.triangles[::-1]}, "the surface is inside out"),
        ({"triangles": (*CUBE.triangles[:-1], 8)}, "corner 8 does not exist; the vertices are 0 to 7"),
        ({"triangles": CUBE.triangles[:9]}, "fewer than 4 triangles"),
        ({"triangles": ()}, "has no triangles"),
        ({"vertices": tuple(1e-7 * v for v in CUBE.vertices)}, "has no area"),
        ({"scale": 1e6}, "farther than 10000 m"),
        ({"triangles": (*CUBE.triangles, 0, 1, 1, 1, 0, 1)}, r"triangle \d+, counted from 0, has no area"),
    ],
)
def test_meshes_that_enclose_nothing_are_refused(change: dict[str, Any], message: str) -> None:
    flaws = list(replace(CUBE, **change).flaws())
    assert len(flaws) == 1
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(flaws[0].message)


ALL = [solid for solid, _ in SOLIDS] + [CappedCylinder(**COMMON, position=ORIGIN, radius=0.3, height=0.8), CUBE]


@pytest.mark.parametrize("solid", ALL, ids=lambda solid: type(solid).__name__)
def test_inertia_is_that_of_random_points_inside(solid: Solid) -> None:
    """An independent check of every tensor: sample the solid, by what `reach` says about its hull."""
    rng = np.random.default_rng(1)
    solid = replace(solid, rotation=(0.5, -0.3, 0.9), position=(0.2, 0.1, -0.4))
    low, high = solid.bounds()
    points = rng.uniform(low, high, (60_000, 3))
    directions = rng.standard_normal((400, 3))
    directions = np.vstack(
        [directions / np.linalg.norm(directions, axis=1)[:, None], solid.pose.rotation.T, -solid.pose.rotation.T]
    )
    extents = np.array([solid.extent(direction) for direction in directions])
    inside = points[(points @ directions.T <= extents).all(axis=1)]
    expected = solid.mass_properties()
    centered = inside - expected.center
    covariance = centered.T @ centered / len(inside)
    sampled = expected.mass * (np.trace(covariance) * np.eye(3) - covariance)
    np.testing.assert_allclose(sampled, expected.inertia, atol=0.03 * np.trace(expected.inertia))
    np.testing.assert_allclose(inside.mean(axis=0), expected.center, atol=0.03 * (high - low).max())


@pytest.mark.parametrize("solid", ALL, ids=lambda solid: type(solid).__name__)
def test_the_physics_world_sees_the_same_shape(solid: Solid) -> None:
    """Rays from all sides meet the solid within its bounds, and from straight above at its top."""
    world = World(0.001, surfaces=default_materials().matrix())
    frame = Pose(np.array([1.0, 2.0, 3.0]), rotation_xyz((0.4, 0.2, -0.7)))
    geom = solid.add_to(world, 0, None, 0, frame)
    rng = np.random.default_rng(2)
    for direction in rng.standard_normal((20, 3)):
        direction = direction / np.linalg.norm(direction)
        hits = cast(world, [frame.position + 10 * direction], [-direction], 20.0)
        assert hits.geoms[0] == geom.id
        # Along the ray from outside to the centre, the surface is at most the support distance away from it.
        assert 10 - hits.distances[0] <= solid.extent(frame.rotation.T @ direction) + 1e-6
    top = -solid.lowest(np.diag([1.0, -1.0, -1.0]))
    assert top == pytest.approx(solid.bounds()[1][2])


def test_a_mesh_that_was_built_goes_to_other_processes_as_its_numbers() -> None:
    mesh = box_mesh((1.0, 2.0, 3.0), name="M")
    assert mesh._built is mesh._built
    copy = pickle.loads(pickle.dumps(mesh))
    assert copy == mesh and "_built" not in vars(copy)
