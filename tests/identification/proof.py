"""Latencies that are known, found again from a program's log of times and values. All of it: `python -m
tests.identification.proof 50`; the tests run a few of the same cases."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.helpers.spun_wheel import STEP, Wheel, moments, spin
from ubersim.identification import Delay, identify
from ubersim.signals import open_signals
from ubersim.timing.latency import Constant, LatencyModel
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform

CHANGES = 2500


def random_latency(rng: np.random.Generator, *, loss: float) -> LatencyModel:
    """5 to 60 ms, of one of the three models."""
    middle = float(rng.uniform(8.0, 40.0))
    match rng.integers(3):
        case 0:
            return Constant(round(middle), loss=loss)
        case 1:
            half = float(rng.uniform(0.3, 0.9)) * middle
            return Uniform(middle - half, middle + half, loss=loss)
    return Normal(middle, float(rng.uniform(0.12, 0.3)) * middle, 0.0, loss=loss)


def random_wheel(number: int) -> Wheel:
    """One of the cases."""
    rng = np.random.default_rng(1000 + number)
    stamped = bool(rng.integers(2))
    actuation = random_latency(rng, loss=float(rng.choice([0.0, rng.uniform(0.005, 0.1)])))
    loss = float(rng.choice([0.0, rng.uniform(0.005, 0.1)])) if stamped else 0.0
    sensing = random_latency(rng, loss=loss) if stamped else Constant(float(rng.integers(0, 20)))
    frequency, noise = float(rng.choice([1000.0, 500.0, 250.0])), float(rng.choice([0.0, rng.uniform(0.0, 0.1)]))
    return Wheel(actuation, sensing, stamped, frequency, noise)


@dataclass(frozen=True)
class Miss:
    """How far off a delay is."""

    mean: float
    """[ms]"""
    relative_mean: float
    relative_sigma: float
    """nan if the true one is zero."""
    loss: float
    """[share]"""

    @property
    def within(self) -> bool:
        """One frame for a constant latency; mean and sigma within 5 %, loss within a point."""
        if np.isnan(self.relative_sigma):
            return abs(self.mean) <= 1000 * STEP + 1e-6 and abs(self.loss) <= 0.01
        return max(abs(self.relative_mean), abs(self.relative_sigma)) <= 0.05 and abs(self.loss) <= 0.01

    def __str__(self) -> str:
        mean = f"mean {self.mean:+.3f} ms ({self.relative_mean:+.1%})"
        return f"{mean}, sigma {self.relative_sigma:+.1%}, loss {self.loss:+.2%}"


def miss(delay: Delay, *true: LatencyModel) -> Miss:
    """Of what was found against one latency, or against the sum of several."""
    mean = sum(moments(model)[0] for model in true)
    sigma = float(np.hypot.reduce([moments(model)[1] for model in true]))
    found, spread = 1000 * delay.fit.mean, 1000 * delay.fit.sigma
    relative = spread / sigma - 1 if sigma else (float("nan") if spread < 0.3 else float("inf"))
    loss = (delay.loss or 0.0) - true[0].loss
    return Miss(found - mean, found / mean - 1, relative, loss)


def misses(number: int, changes: int = CHANGES) -> dict[str, Miss]:
    """Of one case, by stage."""
    wheel = random_wheel(number)
    longest = max(moments(wheel.actuation)[0] + 5 * moments(wheel.actuation)[1], 20.0)
    late = 0.0 if wheel.stamped else moments(wheel.sensing)[0]
    with tempfile.TemporaryDirectory() as folder:
        hold = 1.4 * (longest + late + 12.0) / 1000
        source = open_signals(spin(wheel, Path(folder) / "log.csv", changes=changes, hold=hold, seed=number))
        found = {delay.stage: delay for delay in identify(source.signal("command"), source.signal("rate")).delays}
    if not wheel.stamped:
        return {"both": miss(found["both"], wheel.actuation, wheel.sensing)}
    return {
        "actuation": miss(found["actuation"], wheel.actuation),
        "sensing": miss(found["sensing"], wheel.sensing),
    }


def main(count: int) -> int:
    """Runs that many cases, and tells of each."""
    wrong = 0
    for number in range(count):
        began = time.perf_counter()
        for stage, off in misses(number).items():
            wheel = random_wheel(number)
            kinds = wheel.sensing.kind if stage == "sensing" else wheel.actuation.kind
            print(f"{number:3} {stage:9} {kinds:8} {'ok ' if off.within else 'OFF'} {off}", flush=True)
            wrong += not off.within
        print(f"    {time.perf_counter() - began:.1f} s", flush=True)
    print(f"{count} cases, {wrong} delays out of bounds")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
