"""Description -> world: the bodies and static solids of a document become ODE's."""

from __future__ import annotations

from collections.abc import Iterable

from ubersim.description import BodyDescription, Materials
from ubersim.description.families import Solid
from ubersim.pose import Pose
from ubersim.world.handles import Body
from ubersim.world.world import World


def add_body(world: World, owner: int, description: BodyDescription, frame: Pose, materials: Materials) -> Body:
    """One body with all of its solids; `frame` is the pose of the document's model space in the world."""
    mass = description.mass_properties()
    body = world.add_body(
        owner, mass=mass.mass, inertia=mass.inertia, position=frame.apply(mass.center), rotation=frame.rotation
    )
    add_solids(world, owner, body, description.solids, frame, materials)
    return body


def add_solids(
    world: World, owner: int, body: Body | None, solids: Iterable[Solid], frame: Pose, materials: Materials
) -> None:
    """Solids that are fixed to a body, or (None) to the static world."""
    for solid in solids:
        solid.add_to(world, owner, body, materials.index(solid.material), frame)
