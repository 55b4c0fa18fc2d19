"""From a record to a drive: all is chosen by cross-validation on its first three quarters, and judged on the last."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.identification.motion.network import MotionModels, fit_models
from ubersim.identification.motion.record import MotionRecord
from ubersim.identification.motion.rollout import Model, RolloutError, linear_acceleration, rollout_errors

UNITS = 12, 24, 48, 72, 96
"""Hidden units of the networks that are tried."""
SEEDS = 4
"""Networks of each size: their hidden units are drawn anew."""
KNOWN = 0.75
"""Share of the record that decides; the rest is looked at once, in the end."""
TURNS = ((0.15, 0.75), (0.0, 0.15)), ((0.0, 0.6), (0.6, 0.75))
"""Where networks are fitted, and where they are tried then, so that none is tried on what it has seen."""
_RIDGES = 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8
_SLOWEST, _FASTEST = 0.1, 50.0
"""Accelerations that are tried for the model to compare with [m/s^2, rad/s^2]."""
_STILL = 1e-3


@dataclass(frozen=True)
class LearnedMotion:
    """A drive, and how good it is: one second ahead, on the part of the log that it was not learned from."""

    period: float
    weights: Array
    units: int
    """Hidden units of the network."""
    error: RolloutError
    compared: RolloutError
    """Of the linear-acceleration model, with the accelerations that suit the same log best."""
    accelerations: tuple[float, float]
    """Those [m/s^2, rad/s^2]."""

    def save(self, path: Path) -> None:
        """Writes the file that a `LearnedDrive` names."""
        about = {
            "error": [self.error.place, self.error.heading],
            "linear acceleration": [self.compared.place, self.compared.heading, *self.accelerations],
        }
        with path.open("wb") as file:
            np.savez(file, period=self.period, weights=self.weights, about=np.array(json.dumps(about)))

    def __str__(self) -> str:
        straight, turning = self.accelerations
        return "\n".join(
            [
                "one second ahead, on the last quarter of the log (RMS):",
                f"  learned              {self.error}  (with {self.units} units)",
                f"  linear acceleration  {self.compared}  (best with {straight:.2f} m/s², {turning:.2f} rad/s²)",
            ]
        )


def learn_motion(record: MotionRecord, units: int | None = None) -> LearnedMotion:
    """The drive that a record tells of; with so many hidden units, or as many as do best on what is known."""
    if not (np.abs(record.commands).max() > _STILL and np.abs(record.velocities).max() > _STILL):
        what = "moved" if np.abs(record.commands).max() > _STILL else "told to move"
        raise UberSimError(f"the robot was never {what} in this log: there is nothing to learn from it")
    known, judging = record.part(0, KNOWN), record.part(KNOWN, 1)
    size, seed, ridge = _best_network(record, UNITS if units is None else (units,))
    best = fit_models(known, size, (ridge,), seed)
    (error,) = rollout_errors(_stepped(best), judging, 1)
    straight, turning = _best_accelerations(known)
    (compared,) = _accelerated([(straight, turning)], judging)
    return LearnedMotion(record.period, best.numbers(0), size, error, compared, (straight, turning))


def _best_network(record: MotionRecord, sizes: Sequence[int]) -> tuple[int, int, float]:
    """Hidden units, their seed and the penalty with which a second is predicted best, in all turns together."""
    found: dict[tuple[int, int, float], float] = {}
    for fitting, trying in TURNS:
        training, trial = record.part(*fitting), record.part(*trying)
        for size, seed in itertools.product(sizes, range(SEEDS)):
            models = fit_models(training, size, _RIDGES, seed)
            for ridge, error in zip(_RIDGES, rollout_errors(_stepped(models), trial, len(models)), strict=True):
                found[size, seed, ridge] = found.get((size, seed, ridge), 0.0) + _badness(error)
    return min(found, key=found.__getitem__)


def _best_accelerations(record: MotionRecord) -> tuple[float, float]:
    """Those with which the linear-acceleration model explains a record best: all over, then near the best."""
    center, width = np.log([_SLOWEST * _FASTEST] * 2) / 2, float(np.log(_FASTEST / _SLOWEST)) / 2
    for _ in range(3):
        ways = (np.exp(np.linspace(middle - width, middle + width, 9)) for middle in center)
        pairs = [(float(straight), float(turning)) for straight, turning in itertools.product(*ways)]
        found = pairs[int(np.argmin([_badness(error) for error in _accelerated(pairs, record)]))]
        center, width = np.log(found), width / 4
    return found


def _accelerated(pairs: Sequence[tuple[float, float]], record: MotionRecord) -> list[RolloutError]:
    """Of the linear-acceleration model with each pair of accelerations."""
    straight, turning = np.array(pairs).T
    return rollout_errors(linear_acceleration(straight, turning, record.period), record, len(pairs))


def _stepped(models: MotionModels) -> Model:
    def stepped(now: Array, command: Array, last: Array) -> tuple[Array, Array]:
        change = np.clip(models.changes(now, command, last), -100.0, 100.0)
        return now + change, now + change / 2

    return stepped


def _badness(error: RolloutError) -> float:
    """Metres and radians alike: a robot of ordinary size is off by as much at its rim."""
    total = error.place + 0.5 * error.heading
    return total if np.isfinite(total) else np.inf
