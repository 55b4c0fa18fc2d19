"""What physics says where there is no formula: equations of motion, integrated to twelve digits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tests.helpers.closed_forms import GRAVITY
from ubersim.geometry import Array, matrix_from_quaternion


def integrated(derivative: Callable[[float, Array], Array], start: Array, time: float) -> Array:
    """The state after a time."""
    from scipy.integrate import solve_ivp  # slow to import, and every process of the tests imports this module

    answer = solve_ivp(derivative, (0.0, time), start, method="DOP853", rtol=1e-12, atol=1e-13)
    last: Array = answer.y[:, -1]
    return last


def free_rotation(moments: Array, rates: Array, time: float) -> Array:
    """The orientation of a free body, from its own axes to the world's; `rates` in its own axes at the beginning."""

    def derivative(_: float, state: Array) -> Array:
        quaternion, w = state[:4], state[4:]
        turning = np.cross(moments * w, w) / moments
        s, v = quaternion[0], quaternion[1:]
        return np.concatenate([[-0.5 * v @ w], 0.5 * (s * w + np.cross(v, w)), turning])

    state = integrated(derivative, np.concatenate([[1.0, 0.0, 0.0, 0.0], rates]), time)
    return matrix_from_quaternion(state[:4] / np.linalg.norm(state[:4]))


def double_pendulum(mass: float, moment: float, arm: float, time: float) -> tuple[float, float]:
    """Angles below the horizontal of two equal rods, hung on each other's ends and let go horizontally [rad].

    A rod's centre is halfway between its ends, `arm` from each.
    """
    reach = 2 * arm

    def derivative(_: float, state: Array) -> Array:
        first, second, w1, w2 = state
        # Lagrange's equations of the two angles.
        coupling = mass * reach * arm
        own = moment + mass * arm**2 + mass * reach**2
        matrix = np.array([[own, coupling * math.cos(first - second)], [0.0, moment + mass * arm**2]])
        matrix[1, 0] = matrix[0, 1]
        swing = coupling * math.sin(first - second)
        right = np.array(
            [
                -swing * w2**2 + mass * GRAVITY * (arm + reach) * math.cos(first),
                swing * w1**2 + mass * GRAVITY * arm * math.cos(second),
            ]
        )
        return np.concatenate([[w1, w2], np.linalg.solve(matrix, right)])

    first, second, *_ = integrated(derivative, np.zeros(4), time)
    return float(first), float(second)


def dragged_rod(half: float, radius: float, angle: float, friction: float, time: float) -> float:
    """How much speed a rod loses that slides on its round lower end, leaning the other way [m/s]; see `closed_forms`.

    `half` is from its centre to that of the end; its moment of inertia is that of a thin rod.
    """

    def derivative(_: float, state: Array) -> Array:
        tilt, rate, _speed = state
        sine, cosine = math.sin(tilt), math.cos(tilt)
        # Per unit mass: turning = lever * normal, and the end's centre stays at its height.
        lever = 3 / half**2 * (friction * (half * sine + radius) - half * cosine)
        normal = (GRAVITY - half * sine * rate**2) / (1 - half * cosine * lever)
        return np.array([rate, lever * normal, friction * normal])

    return float(integrated(derivative, np.array([angle, 0.0, 0.0]), time)[2])
