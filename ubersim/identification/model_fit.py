"""Numbers of a robot's document, chosen so that commands from a log lead to the log's readings.

Least squares over the logarithms of the numbers, which are all positive; derivatives by differences, whose runs go to
an executor together. Latency counts in whole frames, which no derivative sees: it is tried frame by frame around what
the delays say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ubersim.description.editing import number_at
from ubersim.errors import UberSimError
from ubersim.identification.simulated import LATENCY, Rehearsal, rehearse_elsewhere
from ubersim.signals import Signal
from ubersim.signals.signal import Array
from ubersim.sweeps.executors import Workplace

_DIFFERENCE = 1e-3
"""Relative step of the derivatives."""
_FARTHEST = np.log(20.0)
"""By at most that factor a number may be wrong to begin with, as a logarithm."""
_ROUNDS = 5
"""Numbers and latency in turns; it ends when the latency stays what it is."""
_UNKNOWN = 0.2
"""A number that is uncertain by more than this part of itself is one that the log cannot tell."""
_LINKED = 0.98
"""Numbers that are correlated by more than this can be told only together."""


@dataclass(frozen=True)
class ModelFit:
    """What was found."""

    numbers: dict[str, float]
    uncertain: dict[str, float]
    """Standard deviations, in the same units."""
    explained: float
    """The part of the response's variance that the model reproduces."""
    rms: float
    """Of what is left, in the response's unit."""
    unknown: list[str]
    """What the log cannot tell, in words."""

    def __str__(self) -> str:
        lines = [f"the model explains {self.explained:.2%} of the response; {self.rms:.4g} (RMS) is left"]
        for name, value in self.numbers.items():
            lines.append(f"  {name}: {value:.6g} ± {1.96 * self.uncertain[name]:.2g}")
        return "\n".join([*lines, *(f"the log cannot tell {what}" for what in self.unknown)])


def fit_model(
    rehearsal: Rehearsal, response: Signal, begin: float, paths: Sequence[str], latency: float | None, place: Workplace
) -> ModelFit:
    """`paths` name the numbers, as `Chassis/Mass`; `latency` [ms] is where that is looked for, None: it is let be."""
    from scipy.optimize import least_squares

    if not paths:
        raise UberSimError("name at least one number of the model to be fitted")
    start = np.log([_positive(rehearsal.document, path) for path in paths])
    trial = _Trial(rehearsal, response, begin, place)
    fixed = {} if latency is None else {LATENCY: max(0.0, latency)}
    found = start
    for _ in range(_ROUNDS):
        differences = partial(trial.derivatives, paths, fixed)
        solved = least_squares(
            lambda x, fixed=fixed: trial.residuals([_named(paths, x, fixed)])[0],
            found,
            jac=differences,
            x_scale="jac",
            bounds=(start - _FARTHEST, start + _FARTHEST),
            xtol=1e-4,
            ftol=1e-6,
            max_nfev=20,
        )
        found = np.asarray(solved.x)
        before, fixed = fixed, fixed and {LATENCY: trial.best_latency(paths, found, fixed[LATENCY])}
        if fixed == before:
            break
    return _report(paths, found, fixed, solved.fun, solved.jac, response)


def _positive(document: str, path: str) -> float:
    value = number_at(document, path, "the model")
    if value <= 0:
        raise UberSimError(f"{path} is {value:g}; only positive numbers can be fitted")
    return value


def _named(paths: Sequence[str], logarithms: Array, fixed: Mapping[str, float]) -> dict[str, float]:
    return dict(zip(paths, np.exp(logarithms).tolist(), strict=True)) | dict(fixed)


class _Trial:
    """Runs the model, several times at once, and compares."""

    def __init__(self, rehearsal: Rehearsal, response: Signal, begin: float, place: Workplace) -> None:
        self._rehearsal, self._place = rehearsal, place
        self._times, self._values = response.times - begin, response.values
        self._inside = self._times > 0.0

    def residuals(self, choices: Sequence[Mapping[str, float]]) -> list[Array]:
        """How far the model's readings are from the log's, for each choice of numbers."""
        run = partial(rehearse_elsewhere, self._rehearsal)
        futures = [self._place.executor.submit(run, choice) for choice in choices]
        return [self._apart(future.result()) for future in futures]

    def _apart(self, rows: Array) -> Array:
        simulated = np.interp(self._times, rows[:, 0], rows[:, 1])
        apart: Array = (simulated - self._values)[self._inside]
        return apart

    def derivatives(self, paths: Sequence[str], fixed: Mapping[str, float], logarithms: Array) -> Array:
        """Of the residuals by the logarithms, from both sides."""
        steps = _DIFFERENCE * np.eye(len(logarithms))
        around = [logarithms + sign * step for step in steps for sign in (1, -1)]
        found = self.residuals([_named(paths, point, fixed) for point in around])
        columns = [(found[2 * n] - found[2 * n + 1]) / (2 * _DIFFERENCE) for n in range(len(steps))]
        return np.stack(columns, axis=1)

    def best_latency(self, paths: Sequence[str], logarithms: Array, around: float) -> float:
        """The one with the least residuals [ms], a few frames to both sides."""
        frame = 1000 * self._rehearsal.step
        middle = round(around / frame)
        tried = [max(0, middle + shift) * frame for shift in range(-4, 5)]
        found = self.residuals([_named(paths, logarithms, {LATENCY: latency}) for latency in tried])
        return tried[int(np.argmin([float(one @ one) for one in found]))]


def _report(
    paths: Sequence[str], logarithms: Array, fixed: Mapping[str, float], left: Array, slopes: Array, response: Signal
) -> ModelFit:
    numbers = _named(paths, logarithms, fixed)
    variance = float(left @ left) / max(1, len(left) - len(paths))
    total = float(np.var(response.values)) or 1.0
    # A singular matrix has directions along which nothing changes: those are as uncertain as can be.
    values, vectors = np.linalg.eigh(slopes.T @ slopes)
    covariance = variance * (vectors / np.maximum(values, 1e-12 * max(float(values[-1]), 1e-300))) @ vectors.T
    relative = np.sqrt(np.diag(covariance))
    uncertain = {path: float(numbers[path] * share) for path, share in zip(paths, relative, strict=True)}
    uncertain |= dict.fromkeys(fixed, 0.0)
    unknown = [
        f"{path}: it is uncertain by {share:.0%}"
        for path, share in zip(paths, relative, strict=True)
        if share > _UNKNOWN
    ]
    linked = covariance / np.outer(relative, relative)
    for one in range(len(paths)):
        for other in range(one):
            if abs(linked[one, other]) > _LINKED:
                unknown.append(f"{paths[other]} and {paths[one]} apart: only together")
    rms = float(np.sqrt(np.mean(left**2)))
    return ModelFit(numbers, uncertain, 1.0 - float(np.mean(left**2)) / total, rms, unknown)
