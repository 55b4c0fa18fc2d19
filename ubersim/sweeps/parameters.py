"""What differs from run to run: values that are listed, on a grid, or drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ubersim.errors import UberSimError

Value = float | int | str | bool


@dataclass(frozen=True)
class Listed:
    """Each of these values, with each of all the others."""

    values: tuple[Value, ...]


@dataclass(frozen=True)
class Drawn:
    """Any value between two bounds; all that are drawn are drawn together, `samples` times."""

    low: float
    high: float
    latin: bool
    """A Latin hypercube spreads the samples evenly over each parameter; else they are independent."""
    log: bool = False
    """Even on a logarithmic scale."""

    def at(self, share: float) -> float:
        """The value that far from the lower bound to the upper one."""
        if self.log:
            return float(self.low * math.pow(self.high / self.low, share))
        return float(self.low + (self.high - self.low) * share)


Parameter = Listed | Drawn


def parameter(name: str, given: Any) -> Parameter:
    """From what a plan says: a value, a list, or one of `grid`, `list`, `random`, `latin` with its bounds."""
    if isinstance(given, Mapping):
        if len(given.keys() - {"log"}) != 1:
            raise UberSimError(f"{name}: say one of grid, list, random, latin, not {', '.join(given) or 'nothing'}")
        kind, numbers = next((key, value) for key, value in given.items() if key != "log")
        log = bool(given.get("log", False))
        match kind:
            case "list" if isinstance(numbers, list | tuple) and numbers:
                return Listed(tuple(numbers))
            case "list":
                raise UberSimError(f"{name}: give a list of values, not {numbers!r:.60}")
            case "grid":
                low, high, count = _numbers(name, numbers, "the lowest and the highest value, and how many", 3)
                drawn, last = Drawn(low, high, False, log), max(1, int(count) - 1)
                return Listed(tuple(drawn.at(place / last) for place in range(int(count))))
            case "random" | "latin":
                low, high = _numbers(name, numbers, "the lowest and the highest value", 2)
                return Drawn(low, high, kind == "latin", log)
        raise UberSimError(f"{name}: there is no {kind!r}; there are grid, list, random, latin")
    return Listed(tuple(given) if isinstance(given, list | tuple) else (given,))


def _numbers(name: str, given: Any, what: str, count: int) -> list[float]:
    try:
        numbers = [float(number) for number in given]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise UberSimError(f"{name}: give {what}, not {given!r:.60}")
    return numbers


def combinations(parameters: Mapping[str, Parameter], samples: int, seed: int) -> list[dict[str, Value]]:
    """Every combination of what is listed, each with every sample of what is drawn."""
    listed = {name: one.values for name, one in parameters.items() if isinstance(one, Listed)}
    drawn = {name: one for name, one in parameters.items() if isinstance(one, Drawn)}
    rows = [dict(zip(listed, values, strict=True)) for values in itertools.product(*listed.values())]
    if not drawn:
        return rows
    return [row | draw for row in rows for draw in _draws(drawn, samples, seed)]


def _draws(drawn: Mapping[str, Drawn], samples: int, seed: int) -> list[dict[str, Value]]:
    shares = np.random.default_rng(seed).random((samples, len(drawn)))
    if latin := [index for index, one in enumerate(drawn.values()) if one.latin]:
        shares[:, latin] = _hypercube(samples, len(latin), seed)
    return [
        {name: one.at(float(share)) for (name, one), share in zip(drawn.items(), row, strict=True)} for row in shares
    ]


def _hypercube(samples: int, width: int, seed: int) -> np.ndarray:
    try:
        from scipy.stats import qmc
    except ImportError:
        raise UberSimError("Latin hypercubes need scipy: pip install 'ubersim[sweep]'") from None
    return np.asarray(qmc.LatinHypercube(width, rng=np.random.default_rng(seed)).random(samples))
