"""Thousands of random runs on both lanes: `make soak`, or `python -m tests.server.lane_trials --runs 3000 --seed 1`.

Each is a crowd of clients that command, err, leave and fall silent at random, or of drives that are told at random.
What differs between the lanes is printed with its seed, and ends with exit code 1.
"""

from __future__ import annotations

import argparse
import random
import sys

from tests.helpers.lane_outcomes import Outcome, assert_same, played
from tests.server.test_lane_drives import ON_WHEELS, RAMPS, TOLD, drivers, on_wheels, told
from tests.server.test_native_lane import outcome
from ubersim.server.native_lane import Lane

DRIVES = (*map(on_wheels, ON_WHEELS), *(told(kind, parts) for kind in TOLD for parts in ("", RAMPS)))
SHOWN = 500


def trial(seed: int, lane: Lane) -> Outcome:
    """One run, by its seed."""
    chance = random.Random(seed)
    if chance.random() < 0.2:
        return played(drivers(seed, chance.choice(DRIVES), latency=chance.choice((0.0, 3.0, 20.0))), lane)
    return outcome(seed, lane, sparse=chance.random() < 0.5)


def main() -> int:
    """Prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=10_000)
    given = parser.parse_args()
    differing = 0
    for count, seed in enumerate(range(given.seed, given.seed + given.runs), start=1):
        try:
            assert_same(trial(seed, "python"), trial(seed, "native"))
        except AssertionError as error:
            differing += 1
            print(f"seed {seed}: {error}", flush=True)
        if count % SHOWN == 0:
            print(f"{count} runs on both lanes, {differing} of them differ", flush=True)
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
