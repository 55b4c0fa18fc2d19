"""How a process that was started here is ended: render workers, runs of a sweep, programs of players, live pages."""

from __future__ import annotations

import subprocess
from typing import Any


def end_process(process: subprocess.Popen[Any], within: float = 1.0) -> None:
    """Asks it to end, and kills it if it has not done so within some time [s]; it may have ended by itself."""
    process.terminate()
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
