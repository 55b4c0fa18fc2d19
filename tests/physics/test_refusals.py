"""What the world refuses from Python, before ODE sees it: each with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.helpers.world_scenes import UNTURNED, add_ball, empty_world
from ubersim.description.materials import Surface
from ubersim.errors import WorldError
from ubersim.physics import CollisionMesh, RayBatch, World

SKEW = np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]])
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
CASES: dict[str, tuple[Callable[[World], Any], str]] = {
    "text": (lambda world: add_ball(world, ("here", 0, 0)), "must be numbers"),
    "shape": (lambda world: add_ball(world, (0, 0)), r"has shape \(2,\), needed is \(3,\)"),
    "inertia": (
        lambda world: world.add_body(1, mass=1, inertia=SKEW, position=(0, 0, 0), rotation=UNTURNED),
        "is not symmetric",
    ),
    "material": (lambda world: world.add_plane(0, 7, (0, 0, 1), 0), "there is no material 7, only 0 to 0"),
    "kind": (lambda world: world.add_joint(1, "glue", world.bodies[0], None), "no joint of kind 'glue', only"),
    "itself": (
        lambda world: world.add_joint(1, "fixed", world.bodies[0], world.bodies[0]),
        "a joint of kind fixed needs two different bodies",
    ),
    "anchor": (
        lambda world: world.add_joint(1, "hinge", world.bodies[0], None, axes=[(1, 0, 0)]),
        "a joint of kind hinge needs an anchor",
    ),
    "axes": (
        lambda world: world.add_joint(1, "hinge", world.bodies[0], None, anchor=(0, 0, 0)),
        "a joint of kind hinge needs 1 to 1 axes, not 0",
    ),
    "stranger": (
        lambda world: world.add_sphere(1, add_ball(empty_world(), (0, 0, 0)), 0, (0, 0, 0), UNTURNED, 0.1),
        "this body is not in this world",
    ),
    "mesh": (
        lambda world: world.add_mesh(1, None, 0, (0, 0, 0), UNTURNED, CollisionMesh(CORNERS, [(0, 1)])),
        r"a mesh needs vertices \(N, 3\) and triangles \(M, 3\)",
    ),
    "corner": (
        lambda world: world.add_mesh(1, None, 0, (0, 0, 0), UNTURNED, CollisionMesh(CORNERS, [(0, 1, 9)])),
        "a mesh of 4 vertices has triangles that name 0 to 9",
    ),
    "area": (
        lambda world: world.add_mesh(1, None, 0, (0, 0, 0), UNTURNED, CollisionMesh(CORNERS, [(0, 1, 2), (0, 1, 1)])),
        "a mesh's triangle 1 has no area",
    ),
    "rays": (
        lambda world: RayBatch(world.bodies[0], (0, 0, 0), [(1, 0)], 1.0),
        r"rays need origins and directions \(N, 3\)",
    ),
    "matrix": (lambda world: World(0.001, surfaces=[[Surface()], []]), "must be square and not empty"),
    "solver": (lambda world: World(0.001, surfaces=[[Surface()]], solver="magic"), "solver is 'magic', allowed are"),  # type: ignore[arg-type]
    "friction of a slider": (
        lambda world: (
            world.add_joint(1, "slider", world.bodies[0], None, axes=[(1, 0, 0)]).driven_axis(0).add_friction(1.0)
        ),
        "dry friction is for axes that turn",
    ),
    "feedback": (
        lambda world: world.add_joint(1, "ball", world.bodies[0], None, anchor=(0, 0, 0)).feedback(),
        "feedback was never enabled",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_refusal_says_what_is_wrong_and_leaves_the_world_alone(case: str) -> None:
    world = empty_world()
    add_ball(world, (0, 0, 1))
    action, reason = CASES[case]
    with pytest.raises(WorldError, match=reason):
        action(world)
    world.run()
    assert len(world.bodies) == 1 and np.isfinite(world.positions).all()
