"""Description -> world: the bodies and static solids of a document become ODE's."""

from __future__ import annotations

from collections.abc import Iterable

from ubersim.description import BodyDescription, Materials, WorldDescription
from ubersim.description.base import Solid
from ubersim.geometry import Pose
from ubersim.physics.body import Body
from ubersim.physics.geom import Geom
from ubersim.physics.world import World

DEFAULT_STEP = 0.001
"""Where neither the world file nor the user says otherwise [s]."""

WORLD = 0
"""The owner of everything that no robot brought along."""
_MODEL = Pose()
"""A world file's model space is the world itself."""


def build_world(
    description: WorldDescription, materials: Materials, *, step: float | None = None
) -> tuple[World, dict[str, Body]]:
    """The world of a file, and its free objects by name; `step` overrides the file's."""
    settings = description.settings
    world = World(
        step if step is not None else settings.step or DEFAULT_STEP,
        surfaces=materials.matrix(),
        gravity=settings.gravity,
        erp=settings.erp,
        cfm=settings.cfm,
        solver=settings.solver,
        iterations=settings.iterations,
    )
    if description.ground is not None:
        world.add_plane(WORLD, materials.index(description.ground.material), (0.0, 0.0, 1.0), 0.0)
    add_solids(world, WORLD, None, description.static, _MODEL, materials)
    return world, {body.name: add_body(world, WORLD, body, _MODEL, materials) for body in description.objects}


def add_body(world: World, owner: int, description: BodyDescription, frame: Pose, materials: Materials) -> Body:
    """One body with all of its solids; `frame` is the pose of the document's model space in the world."""
    mass = description.mass_properties()
    body = world.add_body(
        owner, mass=mass.mass, inertia=mass.inertia, position=frame.apply(mass.center), rotation=frame.rotation
    )
    for geom in add_solids(world, owner, body, description.solids, frame, materials):
        geom.set_self_collision(description.self_collision)
    return body


def add_solids(
    world: World, owner: int, body: Body | None, solids: Iterable[Solid], frame: Pose, materials: Materials
) -> list[Geom]:
    """Solids that are fixed to a body, or (None) to the static world."""
    return [solid.add_to(world, owner, body, materials.index(solid.material), frame) for solid in solids]
