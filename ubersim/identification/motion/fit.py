"""From a record to a drive: fitted on its first part, chosen on its second, judged on its last."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.identification.motion.network import MotionModel, fit_models
from ubersim.identification.motion.record import MotionRecord
from ubersim.identification.motion.rollout import Model, RolloutError, linear_acceleration, rollout_error

UNITS = 72
"""Hidden units of the network."""
SEEDS = 6
"""Networks that are tried: their hidden units are drawn anew."""
TRAINED, CHOSEN = 0.6, 0.75
"""Shares of the record where each part ends."""
_RIDGES = 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8
_SLOWEST, _FASTEST = 0.1, 50.0
"""Accelerations that are tried for the model to compare with [m/s^2, rad/s^2]."""
_STILL = 1e-3


@dataclass(frozen=True)
class LearnedMotion:
    """A drive, and how good it is: one second ahead, on the part of the log that it was not learned from."""

    period: float
    weights: Array
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
                f"  learned              {self.error}",
                f"  linear acceleration  {self.compared}  (best with {straight:.2f} m/s², {turning:.2f} rad/s²)",
            ]
        )


def learn_motion(record: MotionRecord, units: int = UNITS) -> LearnedMotion:
    """The drive that a record tells of."""
    if not (np.abs(record.commands).max() > _STILL and np.abs(record.velocities).max() > _STILL):
        what = "moved" if np.abs(record.commands).max() > _STILL else "told to move"
        raise UberSimError(f"the robot was never {what} in this log: there is nothing to learn from it")
    training, choosing, judging = record.part(0, TRAINED), record.part(TRAINED, CHOSEN), record.part(CHOSEN, 1)
    fitted = (model for seed in range(SEEDS) for model in fit_models(training, units, _RIDGES, seed))
    best = min(fitted, key=lambda model: _badness(rollout_error(_stepped(model), choosing)))
    straight, turning = _best_accelerations(record.part(0, CHOSEN))
    compared = rollout_error(linear_acceleration(straight, turning, record.period), judging)
    error = rollout_error(_stepped(best), judging)
    return LearnedMotion(record.period, best.numbers(), error, compared, (straight, turning))


def _best_accelerations(record: MotionRecord) -> tuple[float, float]:
    """Those with which the linear-acceleration model explains a record best: all over, then near the best."""
    center, width = np.log([_SLOWEST * _FASTEST] * 2) / 2, float(np.log(_FASTEST / _SLOWEST)) / 2
    for _ in range(3):
        places = itertools.product(*(np.exp(np.linspace(middle - width, middle + width, 9)) for middle in center))
        found = min(
            places,
            key=lambda pair: _badness(rollout_error(linear_acceleration(pair[0], pair[1], record.period), record)),
        )
        center, width = np.log(found), width / 4
    return float(found[0]), float(found[1])


def _stepped(model: MotionModel) -> Model:
    def stepped(now: Array, command: Array, last: Array) -> tuple[Array, Array]:
        change = np.clip(model.changes(now, command, last), -100.0, 100.0)
        return now + change, now + change / 2

    return stepped


def _badness(error: RolloutError) -> float:
    """Metres and radians alike: a robot of ordinary size is off by as much at its rim."""
    total = error.place + 0.5 * error.heading
    return total if np.isfinite(total) else np.inf
