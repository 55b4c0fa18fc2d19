"""Worlds in which little happens, but what happens can be computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ubersim.description.materials import Surface
from ubersim.geometry import Array
from ubersim.physics import Body, World

UNTURNED = np.eye(3)
GRAVITY = 9.81


def empty_world(step: float = 0.001, surface: Surface | None = None, **settings: Any) -> World:
    """Nothing but gravity, and one material."""
    return World(step, surfaces=[[surface or Surface()]], **settings)


def ground_world(step: float = 0.001, surface: Surface | None = None, **settings: Any) -> World:
    """A level ground at z = 0."""
    world = empty_world(step, surface, **settings)
    world.add_plane(0, 0, (0, 0, 1), 0)
    return world


def add_ball(world: World, position: ArrayLike, *, radius: float = 0.1, mass: float = 1.0, owner: int = 1) -> Body:
    """A solid sphere."""
    inertia = 0.4 * mass * radius**2 * np.eye(3)
    body = world.add_body(owner, mass=mass, inertia=inertia, position=position, rotation=UNTURNED)
    world.add_sphere(owner, body, 0, position, UNTURNED, radius)
    return body


def box_inertia(mass: float, size: ArrayLike) -> Array:
    """About the centre."""
    squares = np.asarray(size, dtype=float) ** 2
    inertia: Array = np.diag((squares.sum() - squares) * mass / 12)
    return inertia


def add_box(
    world: World,
    position: ArrayLike,
    *,
    size: tuple[float, float, float] = (0.4, 0.4, 0.2),
    mass: float = 1.0,
    rotation: Array = UNTURNED,
    owner: int = 1,
) -> Body:
    """A solid box."""
    body = world.add_body(owner, mass=mass, inertia=box_inertia(mass, size), position=position, rotation=rotation)
    world.add_box(owner, body, 0, position, rotation, size)
    return body


def add_robot(world: World, owner: int, x: float, y: float) -> list[Body]:
    """A box on two driven wheels and a caster ball: it stands, and rolls."""
    base = add_box(world, (x, y, 0.25), size=(0.3, 0.5, 0.2), mass=10, owner=owner)
    wheels = []
    for side in (-1, 1):
        place = (x + 0.2 * side, y, 0.15)
        wheel = world.add_body(owner, mass=1, inertia=np.diag([0.011, 0.006, 0.006]), position=place, rotation=UNTURNED)
        world.add_cylinder(owner, wheel, 0, place, np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]]), 0.15, 0.05)
        hinge = world.add_joint(owner, "hinge", wheel, base, anchor=place, axes=[(1, 0, 0)])
        hinge.set(2, -3.0 - 0.3 * side)
        hinge.set(3, 5.0)
        wheels.append(wheel)
    caster = add_ball(world, (x, y - 0.2, 0.05), radius=0.05, mass=0.3, owner=owner)
    world.add_joint(owner, "ball", caster, base, anchor=(x, y - 0.2, 0.05))
    return [base, *wheels, caster]
