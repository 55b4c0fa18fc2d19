"""A short share of `make soak`, with a fixed seed."""

from __future__ import annotations

from tests.robustness.soak import LEAST, check_flat, soak


def test_a_crowd_leaves_nothing_behind() -> None:
    samples, troubles = soak(6000, seed=3)
    assert troubles >= LEAST and samples[-1].frame > 5000
    check_flat(samples, memory=60_000_000)
