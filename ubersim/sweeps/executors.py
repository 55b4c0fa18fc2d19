"""Where runs happen: on this machine, or where a Dask scheduler sends them; the interface is concurrent.futures'."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ubersim.errors import UberSimError
from ubersim.sweeps.guard import close_all

_PATIENCE = 10.0
"""Real time that a scheduler may take to answer [s]."""
_COUNTED = 2.0
"""Real time for which a number of workers is believed [s]."""


@dataclass(frozen=True)
class Workplace:
    """An executor, and how many runs it does at a time."""

    executor: Executor
    width: Callable[[], int]
    """Now: workers of a cluster come and go."""


@contextmanager
def workplace(where: str) -> Iterator[Workplace]:
    """`local`, `local=2`, or `dask://HOST:PORT`."""
    if found := re.fullmatch(r"local(?:=([1-9]\d*))?", where):
        width = int(found[1]) if found[1] else os.cpu_count() or 1
        executor = ThreadPoolExecutor(width, thread_name_prefix="sweep")
        try:
            yield Workplace(executor, lambda: width)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            close_all()
    elif where.startswith("dask://"):
        with _dask(where.removeprefix("dask://")) as client:
            yield Workplace(client.get_executor(pure=False), _DaskWidth(client))
    else:
        raise UberSimError(f"cannot run on {where!r}; say local, local=2 or dask://HOST:PORT")


class _DaskWidth:
    """The threads of all workers; asked for now and then, for the answer comes over the network."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._asked = -math.inf
        self._width = 1

    def __call__(self) -> int:
        if time.monotonic() > self._asked + _COUNTED:
            self._width = max(1, sum(self._client.nthreads().values()))
            self._asked = time.monotonic()
        return self._width


@contextmanager
def _dask(address: str) -> Iterator[Any]:
    try:
        import distributed
    except ImportError:
        raise UberSimError("Dask is not installed: pip install 'ubersim[dask]'") from None
    try:
        connect: Any = distributed.Client
        client = connect(f"tcp://{address}", timeout=_PATIENCE, set_as_default=False)
    except OSError as error:
        raise UberSimError(f"there is no Dask scheduler at {address}: {error}") from None
    with client:
        yield client
