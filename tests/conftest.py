"""What tests of several rooms use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.serving import Serving
from ubersim.simulation import Simulation

# The same examples in every run, however busy the machine is; `make fuzz` looks for others.
settings.register_profile("suite", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browsers first, so that one process has them all, one after the other; then what takes long test by test.

    Three browsers at once, each drawing without a graphics card, were the last minute of every run; then it was pytest
    in pytest, for which all other processes waited.
    """
    long = ("tests/testing/test_plugin.py", "tests/test_examples.py")
    items.sort(
        key=lambda item: (not hasattr(getattr(item, "module", None), "Browser"), not item.nodeid.startswith(long))
    )


@pytest.fixture
def serve() -> Iterator[Callable[..., Serving]]:
    """Starts servers: `serve(frames=100, clients=1)`."""
    started: list[Serving] = []

    def start(frames: int | None = None, simulation: Simulation | None = None, **options: Any) -> Serving:
        serving = Serving(simulation or Simulation(), frames, **options)
        started.append(serving)
        return serving

    yield start
    for serving in started:
        serving.server.stop()
        serving.result()
