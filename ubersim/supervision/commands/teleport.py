"""`Teleport`: something is put somewhere else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ubersim.description.base import FARTHEST
from ubersim.errors import UberSimError
from ubersim.geometry import Pose, Triple, matrix_from_quaternion, product, quaternion_from_matrix, rotation_about
from ubersim.physics import Body
from ubersim.simulation.robot import Robot
from ubersim.supervision.command import SupervisorCommand
from ubersim.supervision.context import CommandContext

Quadruple = tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class Teleport(SupervisorCommand):
    """Puts a robot, as it is bent now, or an object of the world somewhere else, at rest unless it says otherwise."""

    thing: str
    """Name of a robot or of an object of the world."""
    position: Triple | None = None
    """Where the origin of its model goes, as its first body carries it [m]; without it, it stays in place."""
    heading: float | None = None
    """Upright, and turned about +z by this [rad]; without it and `quaternion`, as it is turned now."""
    quaternion: Quadruple | None = None
    """How its model is turned (w, x, y, z)."""
    linear: Triple = (0.0, 0.0, 0.0)
    """Velocity of its origin [m/s]."""
    angular: Triple = (0.0, 0.0, 0.0)
    """Angular velocity, in world axes [rad/s]."""

    def execute(self, context: CommandContext) -> None:
        simulation = context.simulation
        if self.thing in simulation.objects:
            center = next(
                body.mass_properties().center for body in simulation.description.objects if body.name == self.thing
            )
            bodies = [simulation.objects[self.thing]]
        elif self.thing in simulation.robots:
            robot = simulation.robots[self.thing]
            _check_free(robot)
            center = robot.description.bodies[0].mass_properties().center
            bodies = list(robot.bodies.values())
        else:
            known = ", ".join([*simulation.robots, *simulation.objects]) or "none"
            raise UberSimError(f"there is no {self.thing!r} to teleport; there are {known}")
        now = Pose(bodies[0].position.copy(), bodies[0].rotation.copy()) @ Pose(-center)
        self._move(bodies, now, self._goal(now))

    def _goal(self, now: Pose) -> Pose:
        position = now.position if self.position is None else np.array(self.position)
        if self.quaternion is not None:
            quaternion = np.array(self.quaternion)
            length = math.hypot(*self.quaternion)
            if not 1e-6 < length < 1e6:
                raise UberSimError("Teleport: a quaternion has a length")
            return Pose(position, matrix_from_quaternion(quaternion / length))
        return Pose(position, now.rotation if self.heading is None else rotation_about(2, self.heading))

    def _move(self, bodies: list[Body], now: Pose, goal: Pose) -> None:
        turn = product(goal.rotation, now.rotation.T)
        linear, angular = np.array(self.linear), np.array(self.angular)
        turned = self.heading is not None or self.quaternion is not None
        goals = []
        for body in bodies:
            arm = product(turn, body.position - now.position) if turned else body.position - now.position
            quaternion = quaternion_from_matrix(product(turn, body.rotation)) if turned else None
            goals.append((goal.position + arm, quaternion, linear + np.cross(angular, arm), angular))
        if any(np.abs(position).max() > FARTHEST or np.abs(speed).max() > 1e6 for position, _, speed, _ in goals):
            raise UberSimError(f"Teleport: that is farther than {FARTHEST:g} m, or faster than 1e6 m/s")
        for body, state in zip(bodies, goals, strict=True):  # all of them, or none
            body.set_state(*state)


def _check_free(robot: Robot) -> None:
    held = [name for name, joint in robot.joints.items() if None in joint.bodies]
    if held:
        raise UberSimError(f"{robot.name} cannot be teleported: {', '.join(held)} holds it to the world")
