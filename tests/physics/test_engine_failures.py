"""What the physics engine itself refuses or breaks down over is an error, with its own words where it has some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.helpers.world_scenes import UNTURNED, add_ball, ground_world
from ubersim.errors import WorldError
from ubersim.physics import CollisionMesh, RayBatch, World
from ubersim.physics._ode import NULL, lib
from ubersim.protocol.properties import AXIS_PROPERTIES

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
SIDES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
FAILED = 1
"""What the kernel's functions return that have not done what they should."""


class FailingEngine:
    """The kernel's functions, of which one fails."""

    def __init__(self, name: str, outcome: Any) -> None:
        self._name, self._outcome = name, outcome

    def __getattr__(self, name: str) -> Any:
        return (lambda *_: self._outcome) if name == self._name else getattr(lib, name)


def one_more(world: World) -> Any:
    """A body."""
    return world.add_body(1, mass=1, inertia=np.eye(3), position=(0, 0, 3), rotation=UNTURNED)


CASES: dict[str, tuple[str, Any, Callable[[World], Any], str]] = {
    "kernel_set_threads": ("world", FAILED, lambda world: world.use_threads(2), "the physics engine failed"),
    "kernel_remove": ("contents", FAILED, lambda world: world.remove(1), "the physics engine failed"),
    "kernel_add_body": ("contents", NULL, one_more, "the physics engine refused"),
    "kernel_cast_bundle": (
        "ray_batch",
        FAILED,
        lambda world: RayBatch(world.bodies[0], (0, 0, 0), [(1, 0, 0)], 1.0).cast(),
        "the physics engine failed",
    ),
    "kernel_load_bodies": ("snapshot", FAILED, lambda world: world.restore(world.snapshot()), "the world is broken"),
    "body_set_state": ("body", FAILED, lambda world: world.bodies[0].set_state((0, 0, 9)), ""),
    "joint_set": ("joint_settings", FAILED, lambda world: world.joints[0].set(AXIS_PROPERTIES["Vel"], 1.0), "hinge: "),
    "mesh_create": ("mesh", NULL, lambda _: CollisionMesh(CORNERS, SIDES), "the physics engine refused"),
}
"""A function of the kernel: where it is called from, what it returns when it fails, what is done then, what is said."""


@pytest.mark.parametrize("function", CASES)
def test_a_function_that_fails_raises(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, outcome, use, said = CASES[function]
    world = ground_world()
    ball = add_ball(world, (0, 0, 1))
    world.add_joint(1, "hinge", ball, None, anchor=(0, 0, 1), axes=[(1, 0, 0)])
    with monkeypatch.context() as patched:
        patched.setattr(f"ubersim.physics.{module}.lib", FailingEngine(function, outcome))
        with pytest.raises(WorldError, match=f"^{said}"):
            use(world)
    world.run(10)  # the others go on
    use(world)
