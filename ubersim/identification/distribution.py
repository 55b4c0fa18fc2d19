"""Which latency model fits delays that are known between bounds: constant, uniform or normal. Maximum likelihood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ubersim.errors import UberSimError
from ubersim.identification.samples import DelaySamples
from ubersim.signals.signal import Array

_CONTAMINATION = 1e-3
"""The part of delays that may be anything: one odd sample must not decide."""
_RESAMPLES = 100
_PARAMETERS = {"constant": ("Value",), "uniform": ("Min", "Max"), "normal": ("Mean", "Sigma")}


@dataclass(frozen=True)
class Fit:
    """A model, its parameters, and how sure they are."""

    model: str
    parameters: dict[str, float]
    """As documents name them [s]."""
    intervals: dict[str, tuple[float, float]]
    """95 % confidence [s]."""
    floor: float
    """The smallest delay that was seen [s]."""

    @property
    def mean(self) -> float:
        """[s]"""
        found = self.parameters
        match self.model:
            case "constant":
                return found["Value"]
            case "uniform":
                return (found["Min"] + found["Max"]) / 2
        return found["Mean"]

    @property
    def sigma(self) -> float:
        """Standard deviation [s]."""
        found = self.parameters
        match self.model:
            case "constant":
                return 0.0
            case "uniform":
                return (found["Max"] - found["Min"]) / 12**0.5
        return found["Sigma"]


@dataclass(frozen=True)
class _Bounds:
    """Equal bounds together, with their number."""

    low: Array
    high: Array
    counts: Array
    error: float
    span: float

    @staticmethod
    def of(samples: DelaySamples) -> _Bounds:
        unit = max(float(np.ptp(samples.high)) / 400, 1e-6)
        rounded = np.stack([np.rint(samples.low / unit), np.rint(samples.high / unit)])
        bounds, counts = np.unique(rounded, axis=1, return_counts=True)
        # Delays below a model's floor take as long as the floor: the smallest may have been anything below.
        span = float(np.ptp(bounds[1])) * unit + unit
        return _Bounds(bounds[0] * unit, bounds[1] * unit, counts.astype(np.float64), samples.error, span)


def fit(samples: DelaySamples, *, seed: int = 0) -> Fit:
    """The best of the models by the Bayesian information criterion."""
    bounds = _Bounds.of(samples)
    fits = {model: _maximum(model, bounds) for model in _PARAMETERS}
    count = float(bounds.counts.sum())
    model = min(fits, key=lambda name: 2 * fits[name][1] + len(_PARAMETERS[name]) * np.log(count))
    parameters, intervals = fits[model][0], _intervals(model, bounds, fits[model][0], seed)
    names = _PARAMETERS[model]
    return Fit(
        model,
        dict(zip(names, parameters.tolist(), strict=True)),
        dict(zip(names, intervals, strict=True)),
        max(0.0, float(samples.high.min())),
    )


def _maximum(model: str, bounds: _Bounds) -> tuple[Array, float]:
    """Parameters, and minus the logarithm of the likelihood."""
    if model == "constant":
        return _constant(bounds)
    from scipy.optimize import minimize

    finite = np.where(np.isfinite(bounds.low), bounds.low, bounds.high)
    middles = (finite + bounds.high) / 2
    mean = float(np.average(middles, weights=bounds.counts))
    sigma = max(float(np.sqrt(np.average((middles - mean) ** 2, weights=bounds.counts))), bounds.error)
    start = [mean, sigma] if model == "normal" else [float(finite.min()), float(bounds.high.max())]
    spread = max(sigma, bounds.error) * 0.2
    simplex = np.array([start, [start[0] + spread, start[1]], [start[0], start[1] + spread]])
    function = _FUNCTIONS[model]
    options = {"initial_simplex": simplex, "xatol": 1e-7, "fatol": 1e-4, "maxiter": 400}
    found = minimize(lambda x: _cost(function(x, bounds), bounds), start, method="Nelder-Mead", options=options)
    return np.asarray(found.x, dtype=np.float64), float(found.fun)


def _constant(bounds: _Bounds) -> tuple[Array, float]:
    """The upper end of what fits best: latencies count in whole frames, rounded up."""
    candidates = np.unique(np.concatenate([bounds.high, bounds.low[np.isfinite(bounds.low)]]))
    middles = (candidates[1:] + candidates[:-1]) / 2 if len(candidates) > 1 else candidates
    costs = [_cost(_step(np.array([value]), bounds), bounds) for value in middles]
    best = int(np.argmin(costs))
    upper = candidates[best + 1] if len(candidates) > 1 else candidates[0]
    return np.array([upper]), float(costs[best])


def _cost(share: Array, bounds: _Bounds) -> float:
    width = np.where(np.isfinite(bounds.low), bounds.high - bounds.low, bounds.span) / (bounds.span + 1e-9)
    chance = (1 - _CONTAMINATION) * share + _CONTAMINATION * np.minimum(width, 1.0)
    return -float(np.sum(bounds.counts * np.log(np.maximum(chance, 1e-300))))


def _cdf(z: Array) -> Array:
    try:
        from scipy.special import ndtr
    except ImportError:
        raise UberSimError("identification needs scipy: pip install 'ubersim[identify]'") from None
    return np.asarray(ndtr(z), dtype=np.float64)


def _step(parameters: Array, bounds: _Bounds) -> Array:
    (value,) = parameters
    return _cdf((bounds.high - value) / bounds.error) - _cdf((bounds.low - value) / bounds.error)


def _bell(parameters: Array, bounds: _Bounds) -> Array:
    mean, sigma = parameters
    total = np.hypot(max(sigma, 1e-9), bounds.error)
    # Whatever is faster than the floor takes as long as the floor, so the smallest may have been any below.
    low = np.where(bounds.high <= bounds.high.min() + 1e-9, -np.inf, bounds.low)
    return _cdf((bounds.high - mean) / total) - _cdf((low - mean) / total)


def _box(parameters: Array, bounds: _Bounds) -> Array:
    a, b = parameters
    if b - a < 1e-9:
        return np.zeros(len(bounds.high))
    shares = [_box_cdf(x, a, b, bounds.error) for x in (bounds.high, bounds.low)]
    return np.asarray(shares[0] - shares[1], dtype=np.float64)


def _box_cdf(x: Array, a: float, b: float, error: float) -> Array:
    """Of a uniform variable plus a normal one."""

    def integral(z: Array) -> Array:
        return np.asarray(z * _cdf(z) + np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi), dtype=np.float64)

    finite = np.where(np.isfinite(x), x, 0.0)
    rises = (integral((finite - a) / error) - integral((finite - b) / error)) * error / (b - a)
    return np.where(np.isfinite(x), rises, 0.0)


_FUNCTIONS: dict[str, Callable[[Array, _Bounds], Array]] = {"uniform": _box, "normal": _bell}


def _intervals(model: str, bounds: _Bounds, best: Array, seed: int) -> list[tuple[float, float]]:
    """By resampling; at least as wide as what a single delay leaves open."""
    rng = np.random.default_rng(seed)
    count = int(bounds.counts.sum())
    found = []
    for _ in range(_RESAMPLES):
        counts = rng.multinomial(count, bounds.counts / count).astype(np.float64)
        kept = counts > 0
        resampled = _Bounds(bounds.low[kept], bounds.high[kept], counts[kept], bounds.error, bounds.span)
        found.append(_maximum(model, resampled)[0])
    low, high = np.percentile(np.array(found), [2.5, 97.5], axis=0)
    if model == "constant":
        around = bounds.low[np.isfinite(bounds.low) & (bounds.low < best[0])]
        low = np.minimum(low, around.max() if len(around) else low)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
