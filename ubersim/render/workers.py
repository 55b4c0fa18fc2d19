"""Renders in other processes, while this one goes on: jobs go to the worker with the least to do.

A picture depends on its job and scene alone, so it does not matter who draws it: the bytes are the same as inline. For
the same reason a worker that dies is replaced and gets its unfinished jobs again; only the time it takes tells.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import TypeVar

from ubersim.errors import RenderError
from ubersim.render.jobs import Job, Picture, copied
from ubersim.render.scene import Scene
from ubersim.render.shared_memory import Arena, needed_bytes, write_poses
from ubersim.render.worker_protocol import RenderDone, RenderOrder, RenderServerEnd
from ubersim.transport.child_process import end_process

T = TypeVar("T")

START = "import sys; from ubersim.render.worker import main; main(sys.argv[1:])"
ATTEMPTS = 3
"""How often a job is given out before a worker's death counts as its fault."""
MOST_UNANSWERED = 64
"""Orders that a worker may have while nobody hears its answers; the pipe holds some 270 before both ends would wait for
each other."""


@dataclass(frozen=True)
class _Given:
    """An order under way, the scene that it is about, and how often it was given out."""

    order: RenderOrder
    scene: Scene
    attempts: int = 1


class _Worker:
    """One process, its memory, and what it has to do."""

    def __init__(self, threads: int | None) -> None:
        self._threads = threads
        self.arena = Arena()
        self.given: dict[int, _Given] = {}
        self._start()

    def _start(self) -> None:
        ours, theirs = Pipe()
        inherited = (theirs.fileno(), self.arena.descriptor)
        environment = os.environ | {"PYTHONPATH": _import_path()}
        if self._threads is not None:
            environment["LP_NUM_THREADS"] = str(self._threads)
        # A fresh interpreter rather than a fork: OpenGL does not survive one.
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *map(str, inherited)],
            pass_fds=inherited,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self._pipe = RenderServerEnd(ours)
        self._ready = False

    def give(self, given: _Given) -> None:
        """Sends an order, after its scene if that is news."""
        self.given[given.order.ticket] = given
        # A broken pipe is found out, and put right, when the picture is waited for.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._pipe.order(given.order, given.scene)

    def wait_until_ready(self) -> None:
        """Returns when the process can draw; raises if it never will."""
        while not self._ready:
            self.receive()

    def receive(self) -> list[RenderDone]:
        """Waits until something happens, and says which jobs are over because of it, for good or for bad."""
        try:
            done = self._pipe.answer()
        except (EOFError, ConnectionResetError):
            return self._replace()
        if done.ticket >= 0:
            return [done]
        if not done.error:
            self._ready = True
            return []
        if not self.given:
            raise RenderError(done.error)
        return [RenderDone(ticket, done.error) for ticket in self.given]

    def _replace(self) -> list[RenderDone]:
        """Starts the process anew and gives it what the dead one had not finished, unless that is what kills it."""
        self.stop()
        if not self._ready and not self.given:
            raise RenderError(f"a render worker ended before it was ready (exit {self.process.returncode})")
        self._start()
        given, self.given = self.given, {}
        hopeless = [ticket for ticket, one in given.items() if one.attempts >= ATTEMPTS]
        for ticket, one in given.items():
            if ticket in hopeless:
                self.given[ticket] = one
            else:
                self.give(replace(one, attempts=one.attempts + 1))
        return [RenderDone(ticket, f"{ATTEMPTS} render workers died over this picture") for ticket in hopeless]

    def stop(self) -> None:
        """Ends the process, which may be dead already."""
        self._pipe.close()
        end_process(self.process)


class WorkerRenderer:
    """Makes pictures in `count` processes of their own."""

    def __init__(self, count: int = 1, scene: Scene | None = None, *, threads: int | None = None) -> None:
        """`threads`: how many each process draws with beside its own, where a CPU draws; None: as the driver likes."""
        if count < 1:
            raise ValueError("a worker renderer has at least one worker")
        self._scene = scene or Scene()
        self._workers: list[_Worker] = []
        self._finished: dict[int, tuple[_Worker, RenderOrder, str]] = {}
        self._unwanted: set[int] = set()
        self._tickets = 0
        try:
            # All start at once, then all are waited for.
            self._workers.extend(_Worker(threads) for _ in range(count))
            for worker in self._workers:
                worker.wait_until_ready()
        except BaseException:
            self.close()
            raise

    @property
    def processes(self) -> list[int]:
        """Process ids of the workers."""
        return [worker.process.pid for worker in self._workers]

    def set_scene(self, scene: Scene) -> None:
        """What jobs submitted from now on show; jobs under way keep theirs."""
        self._scene = scene

    def submit(self, job: Job) -> int:
        """Hands the job out and returns at once; the ticket fetches the picture."""
        if len(job.positions) < self._scene.bodies or len(job.rotations) != len(job.positions):
            raise RenderError(f"the scene has {self._scene.bodies} bodies, the job only {len(job.positions)} poses")
        self._tickets += 1
        worker = min(self._workers, key=lambda worker: len(worker.given))
        while len(worker.given) >= MOST_UNANSWERED:
            self._finish(worker, worker.receive())
        slot = worker.arena.take(needed_bytes(job))
        bodies = len(job.positions)
        carrier = None if job.motion_seen is None else job.motion_seen.carrier
        order = RenderOrder(self._tickets, slot, bodies, job.camera, job.output, job.frame, carrier)
        write_poses(job, worker.arena.poses(slot, bodies, order.moving))
        worker.give(_Given(order, self._scene))
        return self._tickets

    def collect(self, ticket: int, out: Picture | None = None) -> Picture:
        """Waits for the picture, top row first; a copy, so that the shared memory is free again."""
        return self.fetch(ticket, partial(copied, out=out))

    def fetch(self, ticket: int, read: Callable[[Picture], T]) -> T:
        """Waits for the picture, and has it read in the shared memory before that is free again."""
        if ticket not in self._finished:
            worker = next((worker for worker in self._workers if ticket in worker.given), None)
            if worker is None:
                raise KeyError(ticket)
            while ticket not in self._finished:
                self._finish(worker, worker.receive())
        worker, order, error = self._finished.pop(ticket)
        try:
            if error:
                raise RenderError(error)
            return read(worker.arena.picture(order.slot, order.bodies, order.camera, order.output, order.moving))
        finally:
            worker.arena.give_back(order.slot)

    def discard(self, ticket: int) -> None:
        """Nobody wants the picture any more; does not wait for it."""
        if ticket in self._finished:
            worker, order, _ = self._finished.pop(ticket)
            worker.arena.give_back(order.slot)
        else:
            self._unwanted.add(ticket)

    def _finish(self, worker: _Worker, over: list[RenderDone]) -> None:
        for done in over:
            self._finished[done.ticket] = (worker, worker.given.pop(done.ticket).order, done.error)
            if done.ticket in self._unwanted:
                self._unwanted.remove(done.ticket)
                self.discard(done.ticket)

    def close(self) -> None:
        """Ends the workers and frees the memory."""
        for worker in self._workers:
            worker.stop()
            worker.arena.close()
        self._workers = []

    def __enter__(self) -> WorkerRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _import_path() -> str:
    """Where a new interpreter finds the package that this one runs, however this one found it."""
    here = str(Path(__file__).parents[2])
    return os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH", "")]))
