"""The best parameters of a plan, by CMA-ES: candidates of a normal distribution, which moves to the better ones.

It needs no derivatives, takes noise, and asks for a whole generation at a time, which suits executors. The library is
pycma.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ubersim.errors import UberSimError
from ubersim.sweeps.execute import Outcome
from ubersim.sweeps.executors import Workplace
from ubersim.sweeps.parameters import Drawn, Value, combinations
from ubersim.sweeps.plan import RunSpec, SweepPlan
from ubersim.sweeps.sweep import outcomes
from ubersim.sweeps.table import RunTable


@dataclass(frozen=True)
class Best:
    """What was found."""

    parameters: dict[str, float]
    value: float
    """Of the metric, on average over the runs with these parameters."""
    evaluations: int
    """Candidates that were tried."""


def tune(
    plan: SweepPlan,
    folder: Path,
    place: Workplace,
    *,
    evaluations: int = 200,
    told: Callable[[Outcome], None] | None = None,
) -> Best:
    """Makes `goal` as large as it can, over all parameters with bounds; what is listed is averaged over."""
    bounded = {name: one for name, one in plan.parameters.items() if isinstance(one, Drawn)}
    metric, sign = _goal(plan)
    if len(bounded) < 1:
        raise UberSimError("there is nothing to tune: give some parameters as {random: [low, high]}")
    table, best = RunTable(folder, plan, resume=False), Best({}, -math.inf, 0)
    strategy = _strategy(len(bounded), plan.seed)
    number = tried = 0
    try:
        while tried < evaluations and not strategy.stop():
            candidates = strategy.ask()
            specs: dict[int, list[RunSpec]] = {}
            for index, point in enumerate(candidates):
                specs[index] = _runs(plan, bounded, point, number)
                number += len(specs[index])
            found: dict[int, list[float]] = {index: [] for index in specs}
            of = {spec.number: index for index, own in specs.items() for spec in own}
            for spec, outcome in outcomes((spec for own in specs.values() for spec in own), place):
                table.add(spec, outcome)
                found[of[spec.number]].append(_value(outcome, metric, sign))
                if told is not None:
                    told(outcome)
            scores = [sum(values) / len(values) for values in found.values()]
            strategy.tell(candidates, [-score for score in scores])
            tried += len(candidates)
            top = max(range(len(scores)), key=scores.__getitem__)
            if scores[top] > best.value:
                best = Best(_named(bounded, candidates[top]), scores[top], tried)
    finally:
        table.close()
    return replace(best, value=sign * best.value, evaluations=tried)


def _goal(plan: SweepPlan) -> tuple[str, float]:
    goal = plan.goal or plan.plot
    if not goal.lstrip("-"):
        raise UberSimError("a plan that is tuned needs a `goal`: a metric, with a minus before it if less is better")
    return goal.lstrip("-"), -1.0 if goal.startswith("-") else 1.0


def _strategy(width: int, seed: int) -> Any:
    try:
        import cma
    except ImportError:
        raise UberSimError("tuning needs cma: pip install 'ubersim[sweep]'") from None
    # It works on shares of the way from the lower to the upper bound, and needs two: a second may count nothing.
    options = {"bounds": [0.0, 1.0], "seed": seed + 1, "verbose": -9, "tolfun": 1e-9}
    return cma.CMAEvolutionStrategy([0.5] * max(2, width), 0.25, options)


def _named(bounded: dict[str, Drawn], point: Any) -> dict[str, float]:
    return {name: one.at(float(share)) for (name, one), share in zip(bounded.items(), point, strict=False)}


def _runs(plan: SweepPlan, bounded: dict[str, Drawn], point: Any, first: int) -> list[RunSpec]:
    listed = {name: one for name, one in plan.parameters.items() if name not in bounded}
    chosen: dict[str, Value] = dict(_named(bounded, point))
    rows = [(row | chosen, again) for row in combinations(listed, 1, plan.seed) for again in range(plan.repetitions)]
    return [plan.run(first + place, row, again) for place, (row, again) in enumerate(rows)]


def _value(outcome: Outcome, metric: str, sign: float) -> float:
    """What failed, or has no number, is the worst of all."""
    if outcome.reason:
        return -math.inf
    if metric not in outcome.metrics:
        raise UberSimError(f"there is no metric {metric!r}; there are {', '.join(outcome.metrics)}")
    value = sign * float(outcome.metrics[metric])
    return value if math.isfinite(value) else -math.inf
