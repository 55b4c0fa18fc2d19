"""Everything that has a name, as arrays: where it is, how large it is, and where a look at it is aimed.

This is what cameras see that do not draw: a thing is a static solid, a free object, a body of a robot, or several
bodies that look like one, such as a wheel with its rollers; these go by the number of the first.
"""

from __future__ import annotations

import numpy as np

from ubersim.physics.build import WORLD
from ubersim.physics.visibility import Landmarks
from ubersim.simulation.aim_points import AimPoints
from ubersim.simulation.robot import Robot
from ubersim.simulation.world_view import WorldView


class VisibleObjects:
    """All things of a simulation. What a robot looks like is found out once, however many others come and go."""

    def __init__(self, simulation: WorldView) -> None:
        self._simulation = simulation
        self._world_looks: tuple[AimPoints, AimPoints] | None = None
        self._robot_looks: dict[Robot, AimPoints] = {}
        self._landmarks: Landmarks | None = None

    def changed(self) -> None:
        """Bodies have come or gone."""
        self._landmarks = None

    @property
    def landmarks(self) -> Landmarks:
        """All things, in the order in which they joined the world; the same object until `changed`."""
        if self._landmarks is None:
            self._landmarks = self._gathered()
        return self._landmarks

    def _gathered(self) -> Landmarks:
        simulation, ids = self._simulation, self._simulation.object_ids
        robots = list(simulation.robots.values())
        statics, objects = self._looks_of_world()
        known = self._robot_looks
        self._robot_looks = {
            robot: known.get(robot) or AimPoints.of_bodies(robot.description.visible_things) for robot in robots
        }
        moving = [objects, *self._robot_looks.values()]
        everything = [statics, *moving]
        owners = [WORLD, WORLD, *(robot.owner for robot in robots)]
        numbers = [ids.first_static, ids.first_object, *(ids.first_of(robot.name) for robot in robots)]

        bodies = [*simulation.objects.values(), *(body for robot in robots for body in robot.bodies.values())]
        rows = np.array([body.row for body in bodies], dtype=np.int64)
        sizes = np.concatenate([looks.sizes for looks in moving])
        thing_of_row = np.full(len(simulation.world.bodies), -1, dtype=np.int64)
        thing_of_row[rows] = len(statics.sizes) + np.repeat(np.arange(len(sizes)), sizes)
        return Landmarks(
            numbers=np.concatenate(
                [first + np.cumsum(looks.sizes) - looks.sizes for first, looks in zip(numbers, everything, strict=True)]
            ).astype(np.float64),
            centers=np.concatenate([looks.centers for looks in everything]),
            radii=np.concatenate([looks.radii for looks in everything]),
            rows=np.concatenate([np.full(len(statics.sizes), -1), rows[np.cumsum(sizes) - sizes]]),
            owners=np.repeat(np.array(owners, dtype=np.int64), [len(looks.sizes) for looks in everything]),
            first_aim=np.cumsum([0, *np.concatenate([looks.aim_counts for looks in everything])]),
            aims=np.concatenate([looks.aims for looks in everything]),
            statics=len(statics.sizes),
            first_static=self._first_static,
            thing_of_row=thing_of_row,
        )

    def _looks_of_world(self) -> tuple[AimPoints, AimPoints]:
        """Of its static solids and of its free objects."""
        if self._world_looks is None:
            world = self._simulation.description
            self._world_looks = (
                AimPoints.of_statics(world.static),
                AimPoints.of_bodies([(body,) for body in world.objects]),
            )
            static = [geom.id for geom in self._simulation.world.geoms if geom.body is None and geom.owner == WORLD]
            # The ground's plane, where there is one, was made before the solids, and these one after the other.
            self._first_static = static[len(static) - len(world.static)] if world.static else 0
        return self._world_looks
