"""What is inside something else at the start, where collision would push it out with a jerk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ubersim.description import Materials, WorldDescription, read_robot
from ubersim.errors import UberSimError
from ubersim.geometry import Pose
from ubersim.simulation.clearance import Clearance
from ubersim.simulation.simulation import Simulation

DEEPEST = 2e-3
"""Less than this is how things rest on each other [m]."""

_PROBE = """<Client><CSettings><Name>A_robot</Name></CSettings><Entity><RigidBodies><Body name="Probe">
<Sphere name="Ball"><Mass>1</Mass><Radius>0.03</Radius><Position><x>0</x><y>0</y><z>0.04</z></Position>
<Material>{material}</Material>
</Sphere></Body></RigidBodies></Entity></Client>"""
"""Smaller than any robot, a centimetre above where it stands."""


def blocked_spawn_points(world: WorldDescription, materials: Materials) -> Iterator[str]:
    """Places where robots enter that are inside something solid that never moves, a line each."""
    (probe,) = read_robot(_PROBE.format(material=materials.names[0]), materials=materials).bodies
    places = {f"spawn point {number}": point.pose for number, point in enumerate(world.spawn_points, 1)}
    for name, pose in (places or {"the origin, where robots enter,": Pose(np.zeros(3))}).items():
        if world.ground and pose.position[2] < 0.0:
            continue  # below the ground, which is a warning of its own
        try:
            Clearance(world, materials, {}, [(probe, pose)]).lift(name, "refuse")
        except UberSimError:
            yield f"{name} is inside something solid"


def overlaps(simulation: Simulation) -> Iterator[str]:
    """Pairs that overlap, a line each; takes one step."""
    bodies = {body: name for name, body in simulation.objects.items()}
    for robot in simulation.robots.values():
        bodies |= {body: name for name, body in robot.bodies.items()}
    simulation.step(1)
    names = {
        geom.id: "the world" if geom.body is None else bodies.get(geom.body, "?") for geom in simulation.world.geoms
    }
    contacts = simulation.world.contacts()
    deepest: dict[tuple[str, str], float] = {}
    for a, b, depth in zip(contacts.a.tolist(), contacts.b.tolist(), contacts.depths.tolist(), strict=True):
        first, second = sorted((names.get(a, "the world"), names.get(b, "the world")))
        deepest[first, second] = max(depth, deepest.get((first, second), 0.0))
    for (first, second), depth in deepest.items():
        if depth > DEEPEST:
            yield f"{first} and {second} overlap by {1e3 * depth:.3g} mm at the start"
