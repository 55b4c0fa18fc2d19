"""Servers in a thread of the test's own process, so that a test can look at the truth behind the wire."""

from __future__ import annotations

import threading
from typing import Any

from ubersim.server import Server
from ubersim.simulation import Simulation


class Serving:
    """A running server; `result()` waits for its end."""

    def __init__(self, simulation: Simulation, frames: int | None, **options: Any) -> None:
        self.simulation = simulation
        self.server = Server(simulation, port=0, **options)
        self.port = self.server.address[1]
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(frames,), daemon=True)
        self._thread.start()

    def _run(self, frames: int | None) -> None:
        try:
            with self.server:
                self.server.run(frames)
        except BaseException as error:
            self._error = error

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self._thread.is_alive()

    def result(self) -> Simulation:
        """Waits until the server has done all of its frames."""
        self._thread.join(120)
        assert not self._thread.is_alive(), "the server did not end"
        if self._error is not None:
            raise self._error
        return self.simulation
