"""What is inside something else at the start, where collision would push it out with a jerk."""

from __future__ import annotations

from collections.abc import Iterator

from ubersim.simulation.simulation import Simulation

DEEPEST = 2e-3
"""Less than this is how things rest on each other [m]."""


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
