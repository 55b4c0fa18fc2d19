"""What a verb may have beside a server: a log of the run, the live page, a gateway for browsers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ubersim.cli.server_status import print_note

if TYPE_CHECKING:
    from ubersim.server import ReplayServer, Server
    from ubersim.simulation import Simulation


@contextmanager
def recorder_of(simulation: Simulation, file: Path | None, images: int) -> Iterator[list[str]]:
    """Writes a log as long as it is open, if there is to be one; what goes wrong with it does not end the run."""
    failures: list[str] = []
    if file is None:
        yield failures
        return
    from ubersim.recording import Recorder  # an extra

    def failed(reason: str) -> None:
        failures.append(reason)
        print_note(f"the log ends in frame {simulation.frame}: {reason}")

    with Recorder(simulation, file, images=images, failed=failed):
        yield failures


@contextmanager
def page_beside(
    server: Server | ReplayServer, port: int | None, token_file: Path | None, *, follow: bool = False
) -> Iterator[None]:
    """The live page in a process of its own, if there is a port for it."""
    if port is None:
        yield
        return
    from ubersim.transport.child_process import end_process
    from ubersim.viewer.launch import open_beside  # an extra

    page = open_beside(*server.address, port=port, token_file=token_file, follow=follow)
    try:
        yield
    finally:
        end_process(page)


@contextmanager
def web_gateway(server: Server, port: int | None, root: Path | None) -> Iterator[None]:
    """A gateway for programs in browsers, if there is a port for it."""
    if port is None:
        yield
        return
    from ubersim.cli.web_files import WebFiles
    from ubersim.transport.web_gateway import WebGateway  # an extra

    with WebGateway(server.address, port, WebFiles(root).find) as gateway:
        print(f"browsers at http://127.0.0.1:{gateway.port}", flush=True)
        yield
