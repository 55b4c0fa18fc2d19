"""The network of a `LearnedDrive`, for many motions at once, and how its numbers are found: by ridge regression.

The hidden units are given: functions of the difference between told and true velocity in many directions, steep or
flat, some of them of the last change as well. What each of them adds is then a linear problem. So there is nothing to
converge, and the same log gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.components.drives.motion_network import INPUTS, LINEAR, UNIT
from ubersim.geometry import Array
from ubersim.identification.motion.record import MotionRecord

_FLATTEST, _STEEPEST, _SLOPES = 1.0, 60.0, 6
"""Slopes of the hidden units, at differences measured in what is usually told; and how many there are."""
_UNUSED = 0.05
"""An axis along which it is never told to go, or never faster than this, is none [m/s, rad/s]."""


@dataclass(frozen=True)
class MotionModels:
    """x -> change of velocity in one period; as `MotionNetwork`, for several networks that share their hidden units."""

    linear: Array
    """(models, inputs, 3)"""
    weights: Array
    """(inputs, units)"""
    biases: Array
    """(units,)"""
    outputs: Array
    """(models, units, 3)"""

    def __len__(self) -> int:
        return len(self.linear)

    def changes(self, now: Array, commands: Array, last: Array) -> Array:
        """Of many motions at once, all of shape (models, n, 3)."""
        x = np.concatenate([now, commands, last], axis=-1)
        changed: Array = x @ self.linear + _hidden(x, self.weights, self.biases) @ self.outputs
        return changed

    def numbers(self, model: int) -> Array:
        """One of them, as documents have it."""
        units = np.concatenate([self.weights.T, self.biases[:, None], self.outputs[model]], axis=1)
        flat = np.concatenate([self.linear[model].T.ravel(), units.ravel()])
        assert len(flat) == LINEAR + UNIT * len(self.biases)
        return flat


def _hidden(x: Array, weights: Array, biases: Array) -> Array:
    """What hidden units make of inputs; nothing of a robot that stands."""
    units: Array = np.tanh(x @ weights + biases) - np.tanh(biases)
    return units


def fit_models(record: MotionRecord, units: int, ridges: Sequence[float], seed: int) -> MotionModels:
    """Least squares of the changes of velocity, for several penalties on large weights; `seed`: of the hidden units."""
    now, commands = record.velocities[1:-1], record.commands[1:]
    last, change = np.diff(record.velocities, axis=0)[:-1], np.diff(record.velocities, axis=0)[1:]
    scale = _scales(record)
    used = np.abs(np.concatenate([commands, now])).max(axis=0) > _UNUSED
    weights, biases = _drawn(units, scale, used, seed)
    x = np.concatenate([now, commands, last], axis=1)
    features = np.concatenate([x / scale, _hidden(x, weights.T, biases)], axis=1)
    unit = np.where(scale[6:9] > 0, scale[6:9], 1.0)
    squares, products = features.T @ features, features.T @ (change / unit)
    penalties = np.multiply.outer(np.array(ridges) * len(features), np.eye(len(squares)))
    solved = np.linalg.solve(squares + penalties, products[None]) * unit
    return MotionModels(solved[:, :INPUTS] / scale[:, None], weights.T, biases, solved[:, INPUTS:])


def _scales(record: MotionRecord) -> Array:
    """What each input usually is; 1 where it is nothing at all."""
    told = np.sqrt((record.commands**2).mean(axis=0)) + np.sqrt((record.velocities**2).mean(axis=0))
    told = np.where(told > 1e-3, told, 1.0)
    changed = np.sqrt((np.diff(record.velocities, axis=0) ** 2).mean(axis=0))
    return np.concatenate([told, told, np.where(changed > 1e-6, changed, 1.0)])


def _drawn(units: int, scale: Array, used: NDArray[np.bool_], seed: int) -> tuple[Array, Array]:
    """Weights and biases of hidden units: directions all around, among the axes that are used, of all slopes."""
    rng = np.random.default_rng(seed)
    count = -(-units // _SLOPES) or 1
    directions = np.repeat(_directions(count, used, rng), _SLOPES, axis=0)[:units]
    slopes = np.tile(np.geomspace(_FLATTEST, _STEEPEST, _SLOPES), count)[:units, None]
    momentum = 0.3 * rng.standard_normal((units, 3)) * (np.arange(units) % 2)[:, None] * used
    weights = np.concatenate([-slopes * directions, slopes * directions, momentum], axis=1)
    return weights / scale, 0.3 * rng.standard_normal(units)


def _directions(count: int, used: NDArray[np.bool_], rng: np.random.Generator) -> Array:
    """Unit vectors, evenly spread over half a circle if two axes are used, else at random; they begin anywhere."""
    axes, found = used.nonzero()[0], np.zeros((count, 3))
    if len(axes) == 2:
        angles = np.pi * (rng.random() + np.arange(count)) / count
        found[:, axes[0]], found[:, axes[1]] = np.cos(angles), np.sin(angles)
    else:
        found[:, axes] = rng.standard_normal((count, len(axes)))
        found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found
