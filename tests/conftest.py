"""What tests of several rooms use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.helpers.serving import Serving
from ubersim.simulation import Simulation


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
