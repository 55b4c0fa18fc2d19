"""Where a process of a layout is computed: in this one, or in one of the operating system's own."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from typing import Protocol

from ubersim.control.executor import ModuleExecutor
from ubersim.control.layout import Process
from ubersim.control.mailboxes import Delivery
from ubersim.control.parameters import Logged
from ubersim.errors import UberSimError
from ubersim.protocol.parameters import Declaration, ParameterValue

LONGEST = 5.0
"""How long a process may take to end [s]."""


@dataclass(frozen=True)
class CycleResult:
    """What a process has to say after a cycle."""

    made: list[object] = field(default_factory=list)
    declared: list[Declaration] = field(default_factory=list)
    logged: list[Logged] = field(default_factory=list)
    error: str = ""
    """What went wrong, as a traceback; the process has ended then."""


class Worker(Protocol):
    """Begins a cycle, and later has its result."""

    def begin(self, delivery: Delivery, settings: Mapping[str, ParameterValue]) -> None:
        """Phase 1 is over: this has been received. Parameters change with them."""

    def result(self) -> CycleResult:
        """Waits for the end of the cycle. The first one is there without a cycle: what was declared."""

    def close(self) -> None:
        """Ends it."""


class InlineWorker:
    """A process that is computed here."""

    def __init__(self, process: Process) -> None:
        self._executor = ModuleExecutor(process)
        self._made: list[object] = []

    def begin(self, delivery: Delivery, settings: Mapping[str, ParameterValue]) -> None:
        self._executor.debug.update(settings)
        self._made = self._executor.cycle(delivery)

    def result(self) -> CycleResult:
        return CycleResult(self._made, *self._executor.debug.take())

    def close(self) -> None:
        pass


class ProcessWorker:
    """One that has a process of the operating system to itself; it is started by importing, so a script needs its
    `if __name__ == "__main__":`."""

    def __init__(self, process: Process) -> None:
        self.name = process.name
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        """Results come from here."""
        self._process = context.Process(target=_compute, args=(process, theirs), name=process.name, daemon=True)
        self._process.start()
        theirs.close()

    def begin(self, delivery: Delivery, settings: Mapping[str, ParameterValue]) -> None:
        self.pipe.send((delivery, dict(settings)))

    def result(self) -> CycleResult:
        try:
            result: CycleResult = self.pipe.recv()
        except (EOFError, ConnectionError):
            raise UberSimError(f"the process {self.name} has ended by itself") from None
        if result.error:
            raise UberSimError(f"in the process {self.name}:\n{result.error}")
        return result

    def close(self) -> None:
        self.pipe.close()
        self._process.join(LONGEST)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _compute(process: Process, pipe: Pipe) -> None:
    """In the process of its own: cycles until the other end closes."""
    try:
        executor = ModuleExecutor(process)
        pipe.send(CycleResult([], *executor.debug.take()))
        while True:
            delivery, settings = pipe.recv()
            executor.debug.update(settings)
            made = executor.cycle(delivery)
            pipe.send(CycleResult(made, *executor.debug.take()))
    except (EOFError, ConnectionError, KeyboardInterrupt):
        pass
    except Exception:
        pipe.send(CycleResult(error=traceback.format_exc()))
