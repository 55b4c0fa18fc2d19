"""A run as an executor is given it: it always comes back with a row, whatever happens to it."""

from __future__ import annotations

import tempfile
import time
from contextlib import suppress
from pathlib import Path

from ubersim.sweeps.execute import Outcome, execute
from ubersim.sweeps.guard import RunFailed, guarded
from ubersim.sweeps.plan import RunSpec

_LARGEST_LOG = 32 * 2**20


def run_task(spec: RunSpec, keep_log: bool = True) -> Outcome:
    """Runs it in a process of its own; one that fails is run again, recorded, as it is the same to the bit."""
    began = time.perf_counter()
    try:
        outcome: Outcome = guarded(execute, spec, limit=spec.setup.limit)
        return outcome
    except RunFailed as failure:
        wall = time.perf_counter() - began
        return Outcome(spec.number, wall=wall, reason=str(failure), log=_log_of(spec) if keep_log else b"")


def _log_of(spec: RunSpec) -> bytes:
    """Of the run that has just failed, as far as it came."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        with suppress(RunFailed):
            guarded(execute, spec, path, limit=spec.setup.limit)
        if path.exists() and path.stat().st_size <= _LARGEST_LOG:
            return path.read_bytes()
    return b""
