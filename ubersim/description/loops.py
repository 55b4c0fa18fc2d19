"""Whether joints that close a loop hold the weight of what they carry, by virtual work."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ubersim.description.base import STATIC, JointDescription
from ubersim.description.robot import RobotDescription
from ubersim.geometry import Array

GRAVITY = 9.81
_RANK = 1e-9
"""Of singular values, against the largest: below it there is a motion."""

Strength = Callable[[JointDescription], float | None]
"""The most that drives a joint [N m, N]; 0: nothing does; None: nobody knows."""


def sagging(
    robot: RobotDescription, loop: Sequence[JointDescription], strength: Strength
) -> tuple[float, float] | None:
    """Of a loop that can move in one way only: the power that its weight has then, and what its motors hold against it.

    Per unit of that motion; None if it holds, if it can move in other ways, or if nothing in it is driven. All other
    joints are taken to stand still.
    """
    strengths = [strength(joint) for joint in loop]
    if None in strengths or not any(strengths) or any(len(joint.axes) != 1 for joint in loop):
        return None
    part_of = _parts(robot, loop)
    motion = _motion(robot, loop, part_of)
    if motion is None:
        return None
    twists, rates = motion
    masses = [(part_of[body.name], body.mass_properties()) for body in robot.bodies]
    power = abs(sum(mass.mass * GRAVITY * _speed(twists[part], mass.center)[2] for part, mass in masses))
    held = sum((most or 0.0) * abs(rate) for most, rate in zip(strengths, rates, strict=True))
    return (float(power), float(held)) if power > held * (1.0 + 1e-6) + 1e-9 else None


def _parts(robot: RobotDescription, loop: Sequence[JointDescription]) -> dict[str, int]:
    """Which bodies move as one while the rest stands still; 0: what the world holds, or else the heaviest part."""
    part_of = {name: number for number, name in enumerate((STATIC, *(body.name for body in robot.bodies)))}
    for joint in robot.joints:
        if joint not in loop:
            first, second = part_of[joint.body1], part_of[joint.body2]
            part_of = {name: first if part == second else part for name, part in part_of.items()}
    weights = dict.fromkeys(part_of.values(), 0.0)
    for body in robot.bodies:
        weights[part_of[body.name]] += body.mass_properties().mass
    held = any(STATIC in (joint.body1, joint.body2) for joint in robot.joints)
    base = part_of[STATIC] if held else max(weights, key=lambda part: weights[part])
    order = [base, *(part for part in weights if part != base)]
    return {name: order.index(part) for name, part in part_of.items()}


def _motion(
    robot: RobotDescription, loop: Sequence[JointDescription], part_of: dict[str, int]
) -> tuple[Array, Array] | None:
    """Twists of the parts (speed at the origin, rate) and rates of the joints, if there is one motion and no other."""
    moving = sorted({part_of[name] for joint in loop for name in (joint.body1, joint.body2)} - {0})
    columns = {part: 6 * place for place, part in enumerate(moving)}
    system = np.zeros((6 * len(loop), 6 * len(moving) + len(loop)))
    for row, joint in enumerate(loop):
        rows = slice(6 * row, 6 * row + 6)
        for name, sign in ((joint.body1, 1.0), (joint.body2, -1.0)):
            if (part := part_of[name]) in columns:
                system[rows, columns[part] : columns[part] + 6] += sign * np.eye(6)
        axis = np.asarray(joint.axes[0], dtype=float) / np.linalg.norm(joint.axes[0])
        turns = joint.units(0)[0] == "rad"
        own = [*np.cross(joint.anchor, axis), *axis] if turns and joint.anchor is not None else [*axis, 0.0, 0.0, 0.0]
        system[rows, 6 * len(moving) + row] = -np.asarray(own)
    _, sizes, ways = np.linalg.svd(system)
    free = system.shape[1] - int((sizes > _RANK * sizes[0]).sum())
    if free != 1:
        return None
    twists = np.zeros((1 + max(part_of.values()), 6))
    for part, column in columns.items():
        twists[part] = ways[-1, column : column + 6]
    return twists, ways[-1, 6 * len(moving) :]


def _speed(twist: Array, place: Array) -> Array:
    return twist[:3] + np.cross(twist[3:], place)
