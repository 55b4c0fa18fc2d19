"""Pictures from worker processes: the same bytes as inline, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ubersim.errors import RenderError
from ubersim.geometry import rotation_xyz
from ubersim.render import (
    Camera,
    InlineRenderer,
    Job,
    LensModel,
    PlacedGroup,
    Scene,
    Shape,
    ShapeGroup,
    WorkerRenderer,
    workers,
)
from ubersim.render.worker_protocol import MOST_CAMERAS

KINDS = {"box": (0.2, 0.15, 0.1), "sphere": (0.1,), "capsule": (0.06, 0.2), "cylinder": (0.1, 0.1)}
CAMERAS = (
    Camera(noise=0.02, seed=5),
    Camera(shadows=True, samples=4),
    Camera(200, 150, fov=3.0, projection="fisheye", shadows=True),
    Camera(lens=LensModel(k1=-0.2, vignetting=0.4)),
)


def scene(count: int = 12) -> Scene:
    kinds = list(KINDS.items())
    return Scene(
        tuple(
            Shape(kinds[n % 4][0], kinds[n % 4][1], (0.2 + 0.06 * n, 0.5, 0.9 - 0.06 * n), body=n, object_id=n + 1)  # type: ignore[arg-type]
            for n in range(count)
        )
    )


def job(frame: int, count: int = 12, output: str = "image") -> Job:
    rng = np.random.default_rng(frame)
    positions = rng.uniform((-0.8, 1.0, 0.1), (0.8, 3.0, 0.8), (count, 3))
    rotations = np.stack([rotation_xyz(rng.uniform(-3, 3, 3).tolist()) for _ in range(count)])
    camera = CAMERAS[frame % len(CAMERAS)]
    return Job(camera, np.array([0, 0, 0.5]), rotation_xyz((-0.1, 0, 0)), positions, rotations, output, frame)  # type: ignore[arg-type]


def grouped(count: int = 12) -> Scene:
    """The same scene, of which the last two thirds are two groups."""
    shapes = scene(count).shapes
    third = count // 3
    parts = [shapes[start : start + third] for start in range(third, count, third)]
    groups = [ShapeGroup(tuple(replace(shape, body=n, object_id=n) for n, shape in enumerate(part))) for part in parts]
    placed = [PlacedGroup(group, third * n, third * n + 1) for n, group in enumerate(groups, start=1)]
    return Scene(shapes[:third], groups=tuple(placed))


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerRenderer]:
    with WorkerRenderer(2, scene()) as made:
        yield made


@pytest.fixture
def expected(renderer: InlineRenderer) -> list[np.ndarray]:
    renderer.set_scene(scene())
    return [renderer.collect(renderer.submit(job(frame))) for frame in range(8)]


def test_the_same_bytes_any_number_of_times(renderer: InlineRenderer, expected: list[np.ndarray]) -> None:
    renderer.set_scene(scene())
    for frame in (*range(7, -1, -1), 3, 3, 3):
        assert np.array_equal(renderer.collect(renderer.submit(job(frame))), expected[frame])


def test_shapes_in_groups_are_drawn_as_if_alone(
    renderer: InlineRenderer, pool: WorkerRenderer, expected: list[np.ndarray]
) -> None:
    whole = grouped()
    assert whole.bodies == 12 and whole.flat() == scene()
    fewer = replace(whole, groups=whole.groups[1:])  # the first group goes, and comes back
    for drawn in (whole, fewer, whole):
        same = drawn is whole
        for maker in (renderer, pool):
            maker.set_scene(drawn)
            for frame in range(3):
                assert np.array_equal(maker.collect(maker.submit(job(frame))), expected[frame]) == same
    pool.set_scene(scene())


def test_any_number_of_pictures_may_wait_to_be_collected(pool: WorkerRenderer) -> None:
    """Also more than answers fit into a pipe."""
    small = replace(job(0), camera=Camera(8, 6), frame=0)
    tickets = [pool.submit(small) for _ in range(1500)]
    first = pool.collect(tickets[0])
    assert all(np.array_equal(pool.collect(ticket), first) for ticket in reversed(tickets[1:]))


def test_the_same_bytes_from_workers_in_any_order(pool: WorkerRenderer, expected: list[np.ndarray]) -> None:
    tickets = [pool.submit(job(frame)) for frame in range(8)]
    for frame in (3, 0, 7, 1, 2, 6, 5, 4):
        assert np.array_equal(pool.collect(tickets[frame]), expected[frame])


@pytest.mark.parametrize("threads", [0, 1])
def test_one_thread_or_many_draw_the_same_bytes(expected: list[np.ndarray], threads: int) -> None:
    with WorkerRenderer(1, scene(), threads=threads) as single:
        for frame in range(4):
            assert np.array_equal(single.collect(single.submit(job(frame))), expected[frame])


def test_depth_and_segmentation_come_through_too(pool: WorkerRenderer, renderer: InlineRenderer) -> None:
    renderer.set_scene(scene())
    for output in ("depth", "segmentation"):
        wanted = renderer.collect(renderer.submit(job(1, output=output)))
        found = pool.collect(pool.submit(job(1, output=output)))
        assert found.dtype == wanted.dtype and np.array_equal(found, wanted)


def test_more_cameras_than_a_worker_remembers(pool: WorkerRenderer, renderer: InlineRenderer) -> None:
    renderer.set_scene(scene())
    jobs = [replace(job(0), camera=Camera(16, 12, fov=0.5 + 0.005 * n)) for n in range(2 * MOST_CAMERAS + 20)]
    for some in (*jobs, *jobs[::7]):
        assert np.array_equal(pool.collect(pool.submit(some)), renderer.collect(renderer.submit(some)))


def test_jobs_are_copies(pool: WorkerRenderer, expected: list[np.ndarray]) -> None:
    moving = job(0)
    ticket = pool.submit(moving)
    moving.positions[:] += 1.0
    out = np.zeros_like(expected[0])
    assert pool.collect(ticket, out) is out
    assert np.array_equal(out, expected[0])


def test_a_new_scene_counts_for_later_jobs_only(
    pool: WorkerRenderer, renderer: InlineRenderer, expected: list[np.ndarray]
) -> None:
    before = [pool.submit(job(frame)) for frame in range(4)]
    pool.set_scene(scene(5))
    after = [pool.submit(job(frame, 5)) for frame in range(4)]
    pool.set_scene(scene())
    renderer.set_scene(scene(5))
    for frame in range(4):
        assert np.array_equal(pool.collect(before[frame]), expected[frame])
        fewer = renderer.collect(renderer.submit(job(frame, 5)))
        assert np.array_equal(pool.collect(after[frame]), fewer)


def test_killed_workers_are_replaced_and_their_jobs_redone(pool: WorkerRenderer, expected: list[np.ndarray]) -> None:
    old = pool.processes
    for process in old:
        os.kill(process, signal.SIGSTOP)  # so that each still has its jobs when it is killed
    tickets = [pool.submit(job(frame)) for frame in range(8)]
    for process in old:
        os.kill(process, signal.SIGKILL)
    for frame, ticket in enumerate(tickets):
        assert np.array_equal(pool.collect(ticket), expected[frame])
    assert not set(old) & set(pool.processes)


def test_a_worker_that_died_idle_is_noticed_with_the_next_job(pool: WorkerRenderer, expected: list[np.ndarray]) -> None:
    for process in pool.processes:
        os.kill(process, signal.SIGKILL)
        _wait_until_dead(process)
    assert np.array_equal(pool.collect(pool.submit(job(2))), expected[2])


def _wait_until_dead(process: int) -> None:
    while Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
        time.sleep(0.005)


def test_a_picture_that_kills_every_worker_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with WorkerRenderer(1, scene()) as doomed:
        monkeypatch.setattr(workers, "START", "raise SystemExit(3)")
        os.kill(doomed.processes[0], signal.SIGKILL)
        ticket = doomed.submit(job(0))
        with pytest.raises(RenderError, match="died"):
            doomed.collect(ticket)
        monkeypatch.undo()
        assert doomed.collect(doomed.submit(job(1))).shape == (240, 320, 4)


def test_workers_that_cannot_start_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "START", "raise SystemExit(3)")
    with pytest.raises(RenderError, match="exit 3"):
        WorkerRenderer(1)


def test_discarded_pictures_give_their_memory_back(pool: WorkerRenderer, expected: list[np.ndarray]) -> None:
    def memory() -> int:
        return sum(os.fstat(worker.arena.descriptor).st_size for worker in pool._workers)

    for _ in range(3):
        tickets = [pool.submit(job(frame)) for frame in range(8)]
        for ticket in tickets[:-1]:
            pool.discard(ticket)
        assert np.array_equal(pool.collect(tickets[-1]), expected[7])
        if _ == 0:
            pool.collect(pool.submit(job(0)))
            most = memory()
    assert memory() <= 2 * most
    with pytest.raises(KeyError):
        pool.collect(tickets[0])


def test_too_few_poses_are_refused(pool: WorkerRenderer, renderer: InlineRenderer) -> None:
    renderer.set_scene(scene())
    for maker in (pool, renderer):
        with pytest.raises(RenderError, match="12 bodies"):
            maker.submit(job(0, 5))


def test_workers_end_with_their_owner() -> None:
    pool = WorkerRenderer(1)
    (process,) = pool.processes
    pool.close()
    assert not Path(f"/proc/{process}").exists()


def test_somebody_has_to_draw() -> None:
    with pytest.raises(ValueError, match="at least one worker"):
        WorkerRenderer(0)


def test_what_a_worker_cannot_draw_is_told_where_it_was_asked_for(pool: WorkerRenderer) -> None:
    pool.set_scene(scene())
    wrong = replace(job(0), camera=replace(CAMERAS[0], radiation="x-rays"))
    ticket = pool.submit(wrong)
    with pytest.raises(RenderError, match="no radiation 'x-rays'"):
        pool.collect(ticket)
    assert pool.collect(pool.submit(job(0))).any()  # it lives on
