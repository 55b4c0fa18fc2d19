"""Everything that has a name, as arrays: where it is, how large it is, and where a look at it is aimed.

This is what cameras see that do not draw: a thing is a static solid, a free object or a body of a robot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ubersim.description.base import Outline, Solid
from ubersim.geometry import Array, product
from ubersim.physics import Body
from ubersim.physics.build import WORLD
from ubersim.physics.visibility import Landmarks
from ubersim.simulation.world_view import WorldView

INSIDE = 0.9
"""How far from a solid's middle to its surface the points lie that are looked at."""
MOST_POINTS = 16
"""On one mesh."""


class VisibleObjects:
    """All visible objects of a simulation, until a robot joins or leaves."""

    def __init__(self, simulation: WorldView) -> None:
        self._world = simulation.world
        self._ids: list[int] = []
        self._rows: list[int] = []
        self._owners: list[int] = []
        self._centers: list[Array] = []
        self._radii: list[float] = []
        self._points: list[Array] = []
        ids, bodies = simulation.object_ids, {}
        for number, solid in enumerate(simulation.description.static, ids.first_static):
            self._add(number, None, [solid], np.zeros(3))
        for number, described in enumerate(simulation.description.objects, ids.first_object):
            body = simulation.objects[described.name]
            bodies[body] = len(self._ids)
            self._add(number, body, described.solids, described.mass_properties().center)
        for robot in simulation.robots.values():
            for number, described in enumerate(robot.description.bodies, ids.first_of(robot.name)):
                body = robot.bodies[described.name]
                bodies[body] = len(self._ids)
                self._add(number, body, described.solids, described.mass_properties().center)
        self.ids = np.array(self._ids, dtype=np.float64)
        """Their numbers in the legend, (T,)."""
        self._owner_of_thing = np.array(self._owners, dtype=np.int64)
        self._thing_of_point = np.repeat(np.arange(len(self._ids)), [len(points) for points in self._points])
        self._where = np.concatenate([*self._centers, *self._points]) if self._ids else np.zeros((0, 3))
        self._thing_of_geom = self._geoms(bodies)
        self._others: dict[int, Landmarks] = {}

    def _add(self, number: int, body: Body | None, solids: Sequence[Solid], origin: Array) -> None:
        center, radius = sphere_around(solids)
        self._ids.append(number)
        self._rows.append(-1 if body is None else body.row)
        self._owners.append(WORLD if body is None else body.owner)
        self._centers.append((center - origin)[None])
        self._radii.append(radius)
        self._points.append(np.concatenate([_in_model(solid, aims(solid.outline())) for solid in solids]) - origin)

    def _geoms(self, bodies: dict[Body, int]) -> NDArray[np.int64]:
        """The thing that each of the world's geoms is part of; -1 for the ground."""
        geoms = self._world.geoms
        static = [geom.id for geom in geoms if geom.body is None and geom.owner == WORLD]
        solids = len(self._ids) - len(bodies)
        # The ground's plane, where there is one, was made before the solids.
        things = dict(zip(static[len(static) - solids :], range(solids), strict=True))
        things |= {geom.id: bodies.get(geom.body, -1) for geom in geoms if geom.body is not None}
        return np.array([things.get(geom.id, -1) for geom in geoms], dtype=np.int64)

    def others(self, owner: int) -> Landmarks:
        """All things but those of an owner."""
        if owner not in self._others:
            chosen = self._owner_of_thing != owner
            aims = chosen[self._thing_of_point]
            both = np.concatenate([chosen, aims])
            rows = np.array(self._rows, dtype=np.int64)
            rows = np.concatenate([rows, rows[self._thing_of_point]])
            # Objects become places among the others, or nothing that counts.
            places = np.full(len(chosen) + 1, -1)
            places[:-1][chosen] = np.arange(chosen.sum())
            self._others[owner] = Landmarks(
                numbers=self.ids[chosen],
                radii=np.array(self._radii)[chosen],
                where=self._where[both],
                rows=rows[both],
                thing_of_aim=places[self._thing_of_point[aims]],
                thing_of_geom=places[self._thing_of_geom],
            )
        return self._others[owner]


def sphere_around(solids: Iterable[Solid]) -> tuple[Array, float]:
    """Centre and radius of a sphere, about the middle of their box, that holds solids, all in model space [m]."""
    solids = list(solids)
    boxes = np.array([solid.bounds() for solid in solids])
    center: Array = (boxes[:, 0].min(axis=0) + boxes[:, 1].max(axis=0)) / 2
    return center, max(_farthest(solid, center) for solid in solids)


def _farthest(solid: Solid, point: Array) -> float:
    """Distance from a point of model space to the farthest point of a solid [m]."""
    outline, seen = solid.outline(), product(solid.pose.rotation.T, point - solid.pose.position)
    x, y, z = np.abs(seen)
    match outline.kind, outline.size:
        case "box", (a, b, c):
            return math.hypot(x + a / 2, y + b / 2, z + c / 2)
        case "sphere", (radius,):
            return math.hypot(x, y, z) + radius
        case "capsule", (radius, height):
            return math.hypot(x, y, z + height / 2) + radius
        case "cylinder", (radius, height):
            return math.hypot(math.hypot(x, y) + radius, z + height / 2)
    assert outline.mesh is not None
    return float(np.linalg.norm(outline.mesh[0] - seen, axis=1).max())


def _in_model(solid: Solid, points: Array) -> Array:
    """Points of a solid's own frame, seen from model space."""
    seen: Array = solid.pose.position + product(points, solid.pose.rotation.T)
    return seen


def aims(outline: Outline) -> Array:
    """Points in a solid, in its own frame [m], such that it is likely in sight if a ray to one of them is free."""
    match outline.kind, outline.size:
        case "box", size:
            corners = np.stack(np.meshgrid(*[(-1.0, 1.0)] * 3), axis=-1).reshape(-1, 3)
            return np.concatenate([np.zeros((1, 3)), INSIDE / 2 * corners * size])
        case "sphere", (radius,):
            reach = np.full(3, radius)
        case "capsule", (radius, height):
            reach = np.array([radius, radius, height / 2 + radius])
        case "cylinder", (radius, height):
            reach = np.array([radius, radius, height / 2])
        case _:
            assert outline.mesh is not None
            vertices, triangles = outline.mesh
            some = np.linspace(0, len(triangles) - 1, min(len(triangles), MOST_POINTS)).astype(int)
            middles: Array = vertices[triangles[some]].mean(axis=1)
            return middles
    return np.concatenate([np.zeros((1, 3)), INSIDE * np.diag(reach), -INSIDE * np.diag(reach)])
