"""Cores that the loop keeps to, so that nothing moves it away from what is in their caches.

Only the thread that asks for it is pinned: threads and processes that were there before go where they like, and so do
clients. It changes when things happen, never what happens.
"""

from __future__ import annotations

import os
import re

from ubersim.errors import UberSimError

_PART = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


def cores_of(text: str) -> frozenset[int]:
    """`0`, `0,2` or `1-3`; only cores that this process may use."""
    cores: set[int] = set()
    for part in text.split(","):
        found = _PART.fullmatch(part.strip())
        if found is None:
            raise UberSimError(f"cores are numbers and ranges, such as 0 or 0,2-3, not {text!r}")
        first, last = int(found[1]), int(found[2] or found[1])
        cores |= set(range(first, last + 1))
    allowed = os.sched_getaffinity(0)
    if not cores or cores - allowed:
        raise UberSimError(f"cores {text} are not to be had: this process may use {_listed(allowed)}")
    return frozenset(cores)


def keep_to(cores: frozenset[int]) -> None:
    """From now on, this thread."""
    os.sched_setaffinity(0, cores)


def _listed(cores: set[int]) -> str:
    return ", ".join(map(str, sorted(cores)))
