"""An environment in a browser: a server around its simulation, whose time the environment has in hand, and the page."""

from __future__ import annotations

import threading
import time

from ubersim.client.supervisor import supervise
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.transport.child_process import end_process
from ubersim.viewer.launch import open_beside


class LivePage:
    """Shows a simulation while it is stepped, at the pace of the clock on the wall; the bits are the same."""

    def __init__(self, simulation: Simulation, port: int) -> None:
        """`port` is that of the page; 0: a free one. The page says where it is."""
        self._simulation = simulation
        for robot in simulation.robots.values():
            robot.commanded_here = True
        self._server = Server(simulation, port=0)
        self._thread = threading.Thread(target=self._server.run, name="live page", daemon=True)
        self._thread.start()
        self._supervisor = supervise(port=self._server.address[1], name="environment")
        self._supervisor.pause()
        self.process = open_beside(*self._server.address, port=port, token_file=None)
        """Of the page."""
        self._due = time.monotonic()

    def step(self, frames: int) -> None:
        """Simulates that many frames, and takes as long as they last."""
        simulation = self._simulation
        for robot in simulation.robots.values():
            robot.commands.ack(simulation.frame + frames - 1)
        self._supervisor.step(frames)
        now = time.monotonic()
        self._due = max(self._due + frames * simulation.step_size, now)  # what was late is not made up for
        time.sleep(self._due - now)

    def close(self) -> None:
        """Ends page and server; the simulation has no more cameras then."""
        end_process(self.process)
        self._supervisor.close()
        self._server.stop()
        self._thread.join()
        self._server.close()
