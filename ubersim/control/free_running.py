"""Processes that run side by side, each as fast as it can: the newest package wins, and what is missed is missed.

For real robots and loose servers. Each process repeats its three phases: it receives all that has come, computes, and
sends what it made. A thread carries packages; what comes out depends on how fast everything is.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from multiprocessing.connection import wait

from ubersim.control.layout import ROBOT, Layout
from ubersim.control.mailboxes import Mailboxes
from ubersim.control.parameters import Logged
from ubersim.control.workers import ProcessWorker
from ubersim.errors import UberSimError
from ubersim.protocol.parameters import Declaration, ParameterValue
from ubersim.transport.wake_pipe import WakePipe


class FreeRunning:
    """The same interface as `Lockstep`; `cycle` waits for nothing."""

    def __init__(self, layout: Layout) -> None:
        self._boxes = Mailboxes(layout)
        self._changed: dict[str, dict[str, ParameterValue]] = {name: {} for name in layout.processes}
        self._declared: list[Declaration] = []
        self._logged: list[Logged] = []
        self._error: UberSimError | None = None
        self._ending = False
        self._lock = threading.Lock()
        self._wake = WakePipe()
        self._workers: dict[str, ProcessWorker] = {}
        self._idle: set[str] = set()
        self._thread = threading.Thread(target=self._carry, name="packages", daemon=True)
        try:
            for name, process in layout.processes.items():
                self._workers[name] = ProcessWorker(process)
            for name in self._workers:
                self._hear(name)
        except BaseException:
            self._end_workers()
            raise
        self._thread.start()

    def cycle(self, packages: list[object], settings: Mapping[str, ParameterValue]) -> list[object]:
        with self._lock:
            if self._error is not None:
                raise self._error
            for changed in self._changed.values():
                changed |= settings
            self._boxes.post(packages)
            commands = self._boxes.take(ROBOT).now
        self._wake.wake()
        return commands

    def news(self) -> tuple[list[Declaration], list[Logged]]:
        with self._lock:
            news = self._declared, self._logged
            self._declared, self._logged = [], []
        return news

    def close(self) -> None:
        self._ending = True
        self._wake.wake()
        self._thread.join()
        self._wake.close()
        self._end_workers()

    def _carry(self) -> None:
        """In the thread: results go to their receivers, and idle processes begin as soon as they may."""
        pipes = {worker.pipe: name for name, worker in self._workers.items()}
        try:
            while not self._ending:
                with self._lock:
                    for name in [name for name in self._idle if self._boxes.may_compute(name)]:
                        self._workers[name].begin(self._boxes.take(name), self._changed[name])
                        self._changed[name] = {}
                        self._idle.discard(name)
                for ready in wait([*pipes, self._wake.fileno()]):
                    if ready in pipes:
                        self._hear(pipes[ready])
                    else:
                        self._wake.clear()
        except UberSimError as error:
            self._error = error
        except OSError as error:
            self._error = UberSimError(f"a process of the layout has ended: {error}")

    def _hear(self, name: str) -> None:
        result = self._workers[name].result()
        with self._lock:
            self._boxes.post(result.made)
            self._declared += result.declared
            self._logged += result.logged
            self._idle.add(name)

    def _end_workers(self) -> None:
        for worker in self._workers.values():
            worker.close()
