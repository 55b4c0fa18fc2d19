"""Robots that have gone leave nothing behind in a server."""

from __future__ import annotations

from tests.robustness.memory import rounds


def test_the_same_strangers_again_take_no_more_memory() -> None:
    held = rounds(25, 4, seed=12)
    assert held[-1].own - held[1].own < 2_000_000 and held[-1].mapped - held[1].mapped < 2_000_000, held
