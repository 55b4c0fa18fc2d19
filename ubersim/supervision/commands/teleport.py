"""`Teleport`: something is put somewhere else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ubersim.description.base import FARTHEST
from ubersim.errors import UberSimError
from ubersim.geometry import (
    Array,
    Pose,
    Triple,
    matrix_from_quaternion,
    product,
    quaternion_from_matrix,
    rotation_about,
)
from ubersim.physics import Body
from ubersim.simulation import Simulation
from ubersim.simulation.clearance import Overlap
from ubersim.simulation.robot import Robot
from ubersim.supervision.command import SupervisorCommand
from ubersim.supervision.context import CommandContext

Quadruple = tuple[float, float, float, float]
State = tuple[Array, Array | None, Array, Array]


@dataclass(frozen=True, kw_only=True)
class Teleport(SupervisorCommand):
    """Puts a robot, as it is bent now, or an object of the world somewhere else, at rest unless it says otherwise.

    A robot's pose is that of its model, as its first body carries it; an object's is that of its centre of mass.
    """

    thing: str
    """Name of a robot or of an object of the world."""
    position: Triple | None = None
    """Where it goes [m]; without it, it stays in place."""
    heading: float | None = None
    """Upright, and turned about +z by this [rad]; without it and `quaternion`, as it is turned now."""
    quaternion: Quadruple | None = None
    """How it is turned (w, x, y, z), from how its document has it."""
    linear: Triple = (0.0, 0.0, 0.0)
    """Velocity of that point [m/s]."""
    angular: Triple = (0.0, 0.0, 0.0)
    """Angular velocity, in world axes [rad/s]."""
    overlap: Overlap = "refuse"
    """If it would be in something solid there: `refuse`, `lift` it until it is on top, or `allow` it."""

    def execute(self, context: CommandContext) -> None:
        simulation = context.simulation
        if self.thing in simulation.objects:
            bodies, center = [simulation.objects[self.thing]], np.zeros(3)
        elif self.thing in simulation.robots:
            robot = simulation.robots[self.thing]
            _check_free(robot)
            bodies, center = list(robot.bodies.values()), robot.description.bodies[0].mass_properties().center
        else:
            known = ", ".join([*simulation.robots, *simulation.objects]) or "none"
            raise UberSimError(f"there is no {self.thing!r} to teleport; there are {known}")
        now = Pose(bodies[0].position.copy(), bodies[0].rotation.copy()) @ Pose(-center)
        goal = self._goal(now)
        states = self._states(bodies, now, goal)
        lift = self._lift(simulation, now, goal)
        for body, (position, *rest) in zip(bodies, states, strict=True):  # all of them, or none
            body.set_state(position + lift, *rest)

    def _lift(self, simulation: Simulation, now: Pose, goal: Pose) -> Array:
        """How far above its goal it is in nothing solid."""
        turn = product(goal.rotation, now.rotation.T)
        moved = Pose(goal.position - product(turn, now.position), turn)
        bodies = [(body, moved @ pose) for body, pose in simulation.placed(self.thing)]
        return simulation.lift(self.thing, bodies, self.overlap)

    def _goal(self, now: Pose) -> Pose:
        position = now.position if self.position is None else np.array(self.position)
        if self.quaternion is not None:
            quaternion = np.array(self.quaternion)
            length = math.hypot(*self.quaternion)
            if not 1e-6 < length < 1e6:
                raise UberSimError("Teleport: a quaternion has a length")
            return Pose(position, matrix_from_quaternion(quaternion / length))
        return Pose(position, now.rotation if self.heading is None else rotation_about(2, self.heading))

    def _states(self, bodies: list[Body], now: Pose, goal: Pose) -> list[State]:
        """Position, quaternion and velocities of each body there; None stays."""
        turn = product(goal.rotation, now.rotation.T)
        linear, angular = np.array(self.linear), np.array(self.angular)
        turned = self.heading is not None or self.quaternion is not None
        states: list[State] = []
        for body in bodies:
            arm = product(turn, body.position - now.position) if turned else body.position - now.position
            quaternion = quaternion_from_matrix(product(turn, body.rotation)) if turned else None
            states.append((goal.position + arm, quaternion, linear + np.cross(angular, arm), angular))
        if any(np.abs(position).max() > FARTHEST or np.abs(speed).max() > 1e6 for position, _, speed, _ in states):
            raise UberSimError(f"Teleport: that is farther than {FARTHEST:g} m, or faster than 1e6 m/s")
        return states


def _check_free(robot: Robot) -> None:
    held = [name for name, joint in robot.joints.items() if None in joint.bodies]
    if held:
        raise UberSimError(f"{robot.name} cannot be teleported: {', '.join(held)} holds it to the world")
