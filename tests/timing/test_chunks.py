"""Plans of several actions: frames, and how a newer one takes over from an older."""

from __future__ import annotations

import pytest

from ubersim.timing.chunks import Chunk, ChunkPlan

STEP = 0.001


def test_actions_follow_each_other() -> None:
    plan = ChunkPlan(STEP)
    assert plan.take(35, 0.02, [[1.0], [2.0], [3.0]]) == [(35, [1.0]), (55, [2.0]), (75, [3.0])]
    assert plan.take(40, 1 / 30, [[4.0], [5.0], [6.0]]) == [(40, [4.0]), (74, [5.0]), (107, [6.0])]


def test_blending_goes_from_the_older_to_the_newer() -> None:
    plan = ChunkPlan(STEP, "blend")
    plan.take(0, 0.02, [[0.0, 10.0]] * 5)  # until 80
    taken = plan.take(40, 0.02, [[1.0, 20.0]] * 5)
    assert [frame for frame, _ in taken] == [40, 60, 80, 100, 120]
    assert [row for _, row in taken] == [[0.25, 12.5], [0.5, 15.0], [0.75, 17.5], [1.0, 20.0], [1.0, 20.0]]


def test_blending_is_with_what_the_older_says_at_that_time() -> None:
    plan = ChunkPlan(STEP, "blend")
    plan.take(0, 0.02, [[float(k)] for k in range(4)])  # 0, 1, 2, 3 at 0, 20, 40, 60
    first, second, third = plan.take(30, 0.02, [[0.0], [0.0], [0.0]])
    assert (first[0], *first[1]) == pytest.approx((30, 1 * 2 / 3))
    assert (second[0], *second[1]) == pytest.approx((50, 2 * 1 / 3))
    assert third == (70, [0.0])
    plan.clear()
    assert plan.take(30, 0.02, [[7.0]]) == [(30, [7.0])]


def test_a_chunk_has_equal_series() -> None:
    chunk = Chunk.of({("A", "Vel"): [1, 2], ("B", "Vel"): [3, 4]}, 0.02, "replace")
    assert chunk.rows == [[1.0, 3.0], [2.0, 4.0]] and chunk.targets == (("A", "Vel"), ("B", "Vel"))
    for actions, seconds, message in [
        ({("A", "Vel"): [1], ("B", "Vel"): [1, 2]}, 0.02, "equal lengths"),
        ({("A", "Vel"): []}, 0.02, "above 0"),
        ({}, 0.02, "equal lengths"),
        ({("A", "Vel"): [1]}, 0.0, "above 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            Chunk.of(actions, seconds, "replace")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'mix'"):
        ChunkPlan(STEP, "mix")  # type: ignore[arg-type]
