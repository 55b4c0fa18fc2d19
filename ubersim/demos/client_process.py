"""A server and one client program, run together to the end."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

from ubersim.description.resources import shipped
from ubersim.errors import UberSimError
from ubersim.server import Server
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
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as program:
            said: list[str] = []

            def listen() -> None:
                """A program that ends early also ends the server, which would wait for it."""
                said.extend(program.communicate())
                server.stop()

            listener = threading.Thread(target=listen, daemon=True)
            listener.start()
            try:
                server.run(frames)
            finally:
                server.close()
                listener.join(10)
                program.kill()
    output, errors = said
    if program.returncode or simulation.frame < frames:
        raise UberSimError(f"clients/{client} failed in frame {simulation.frame}: {errors.strip() or 'it just ended'}")
    return output.strip()
