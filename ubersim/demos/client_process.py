"""A server and one client program, run together to the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from ubersim.description.resources import shipped
from ubersim.errors import UberSimError
from ubersim.server import Server, run_with_program
from ubersim.simulation import Simulation


def run_with_client(
    simulation: Simulation,
    frames: int,
    *,
    client: str,
    robot: str,
    arguments: Sequence[str] = (),
    watch: Callable[[Server], None] | None = None,
) -> str:
    """Serves a simulation to a program of clients/, with a robot of robots/; returns what the program printed."""
    with Server(simulation, port=0, clients=1, watch=watch) as server:
        host, port = server.address
        command = [sys.executable, str(shipped(f"clients/{client}")), "--host", host, "--port", str(port)]
        command += ["--robot", str(shipped(f"robots/{robot}.xml")), *arguments]
        ended = run_with_program(server, command, frames, patience=10.0)
    if ended.code or simulation.frame < frames:
        raise UberSimError(f"clients/{client} failed in frame {simulation.frame}: {ended.errors or 'it just ended'}")
    return ended.output
