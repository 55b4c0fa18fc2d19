"""What can make two runs differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Cause = Literal[
    "command", "random draw", "intervention", "robots", "document", "world", "physics", "reading", "step", "length"
]
"""What differed first.

- `command`: a program sent something else, or at another time
- `random draw`: noise, latency or loss
- `intervention`: a supervisor, a push, a restore
- `robots`: one joined or left
- `document`, `world`: what the runs were given
- `physics`: same inputs, other motion
- `reading`: a sensor without noise said something else of the same state
- `step`, `length`: of the runs
"""


@dataclass(frozen=True)
class Finding:
    """A cause, and what it concerns."""

    cause: Cause
    text: str
    robot: str = ""
    part: str = ""
