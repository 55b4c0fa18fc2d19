"""Logs come from anywhere. What cannot be right in one is an error that names the file, wherever it is noticed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ubersim.errors import UberSimError

LAST_FRAME = 2**53
"""Frame numbers are exact as numbers of any kind up to there: ten thousand years at a microsecond."""


@contextmanager
def damage(path: Path, what: str) -> Iterator[None]:
    """Within it, whatever a damaged or forged log leads to is an `UberSimError`.

    For what is found out only by use: that events name robots which never joined, that a snapshot is of other ones.
    """
    try:
        yield
    except UberSimError as error:
        raise UberSimError(f"{path}: {what}: {error}") from error
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        raise UberSimError(f"{path}: {what} is damaged or forged: {error!r:.300}") from error


def is_frame(value: Any) -> bool:
    """Whether it can be the number of a frame."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LAST_FRAME


def are_numbers(value: Any, count: int) -> bool:
    """Whether it is a list of so many finite numbers."""
    return isinstance(value, list) and len(value) == count and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
