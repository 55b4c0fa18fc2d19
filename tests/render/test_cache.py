"""Memory for pictures is kept for the next ones, but not of every size that there ever was."""

from __future__ import annotations

import os

import numpy as np
import pytest

from ubersim.render import Camera, InlineRenderer, Job, Scene, WorkerRenderer, inline, shared_memory
from ubersim.render.cache import ByteCache
from ubersim.render.shared_memory import Arena


def test_the_least_recently_used_goes_first() -> None:
    gone: list[str] = []
    cache: ByteCache[str] = ByteCache(10, gone.append)
    for key in "abc":
        cache.put(key, key.upper(), 3)
    assert cache.get("a") == "A"
    cache.put("d", "D", 3)
    assert (gone, cache.get("b"), cache.size) == (["B"], None, 9)
    cache.put("e", "E", 100)  # more than there may be, but it is needed now
    assert sorted(gone) == ["A", "B", "C", "D"] and cache.get("e") == "E"
    assert cache.take("e") == "E" and cache.size == 0
    cache.put("f", "F", 1)
    cache.clear()
    assert gone[-1] == "F" and cache.get("f") is None


def test_what_is_in_use_stays() -> None:
    gone: list[int] = []
    cache: ByteCache[int] = ByteCache(10, gone.append, least=2)
    for number in range(4):
        cache.put(number, number, 100)
    assert gone == [0] and cache.get(1) == 1


def jobs(widths: range) -> list[Job]:
    nothing = np.zeros((0, 3)), np.zeros((0, 3, 3))
    return [Job(Camera(width, width), np.array([0.0, 0.0, 1.0]), np.eye(3), *nothing) for width in widths]


def test_pictures_of_sixty_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    from ubersim.render import _gl

    monkeypatch.setattr(inline, "MOST_SPARE", 20 * 2**20)
    with InlineRenderer(Scene()) as renderer:
        for job in jobs(range(300, 1500, 20)):
            renderer.fetch(renderer.submit(job), lambda picture: None)
        assert renderer._spare.size <= 20 * 2**20
        assert _gl.device()._targets.size <= _gl.CACHED_TARGETS
        assert _gl.device().context.error == "GL_NO_ERROR"


def test_large_targets_with_samples_are_not_released_while_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its three targets alone is more than may be kept."""
    from ubersim.render import _gl

    nothing = np.zeros((0, 3)), np.zeros((0, 3, 3))
    camera = Camera(200, 200, samples=4, noise=0.1)
    job = Job(camera, np.array([0.0, 0.0, 1.0]), np.eye(3), *nothing)
    with InlineRenderer(Scene()) as renderer:
        usual = renderer.collect(renderer.submit(job)).copy()
        monkeypatch.setattr(_gl.device()._targets, "_most", 1)
        for other in jobs(range(100, 104)):
            renderer.collect(renderer.submit(other))
        assert np.array_equal(renderer.collect(renderer.submit(job)), usual)


def test_memory_that_is_shared_shrinks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_memory, "MOST_FREE", 100_000)
    arena = Arena()
    slots = [arena.take(40_000 + 4096 * number) for number in range(5)]
    for slot in slots[1:]:
        arena.give_back(slot)
    assert os.fstat(arena.descriptor).st_size == slots[0].size
    arena.poses(slots[0], 3)[...] = 1.0
    assert arena.take(40_000).offset == slots[0].size
    arena.close()


def test_a_worker_draws_the_same_after_its_memory_has_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_memory, "MOST_FREE", 0)
    (small,), (large,) = jobs(range(50, 51)), jobs(range(500, 501))
    with WorkerRenderer(1, Scene(), threads=1) as renderer:
        first = [renderer.collect(renderer.submit(job)) for job in (small, large, small, large)]
    assert np.array_equal(first[0], first[2]) and np.array_equal(first[1], first[3])
