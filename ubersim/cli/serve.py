"""`ubersim serve`: options in, a running server out."""

from __future__ import annotations

import ipaddress
import re
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TextIO

from ubersim.description.registry import registry
from ubersim.errors import UberSimError
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.transport.token import token_in


def serve(
    *,
    host: str,
    port: int,
    step: float | None,
    world: Path | None,
    materials: Path | None,
    clients: int | None,
    frames: int | None,
    rate: float,
    timeout: float,
    seed: int,
    render: str,
    lookahead: bool,
    digest: Path | None,
    token_file: Path | None,
    record: Path | None = None,
    record_images: int = 0,
    view_port: int | None = None,
    verbose: bool = False,
) -> None:
    """Serves until it has done its frames, or is interrupted."""
    token = _token(host, token_file)
    if record_images and record is None:
        raise UberSimError("--record-images needs --record, which says where to")
    _name_refused_components()
    simulation = Simulation(world, materials=materials, step=step, seed=seed, render_workers=_workers(render))
    with (
        _opened(digest) as digest_to,
        Server(
            simulation,
            host=host,
            port=port,
            clients=clients,
            rate=rate,
            timeout=timeout,
            lookahead=lookahead,
            token=token,
            digest=digest_to,
            report=_status if sys.stderr.isatty() else None,
            note=_say if verbose else lambda _: None,
        ) as server,
        _recorder(simulation, record, record_images),
    ):
        print(f"listening on {server.address}", flush=True)
        with _page(server, view_port, token_file):
            _run(server, frames)
    _sum_up(server)


def _name_refused_components() -> None:
    """Other packages' components that cannot be had: one line for each, and the server goes on without them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # which say the same
        refused = registry().refused
    for component in refused:
        print(component, file=sys.stderr, flush=True)


def _opened(file: Path | None) -> AbstractContextManager[TextIO | None]:
    """The file to write to, if there is to be one."""
    return nullcontext() if file is None else file.open("w")


def _recorder(simulation: Simulation, file: Path | None, images: int) -> AbstractContextManager[object]:
    """Writes a log as long as it lasts, if there is to be one."""
    if file is None:
        return nullcontext()
    from ubersim.recording import Recorder  # an extra

    return Recorder(simulation, file, images=images)


@contextmanager
def _page(server: Server, port: int | None, token_file: Path | None) -> Iterator[None]:
    """The live page in a process of its own, if there is a port for it."""
    if port is None:
        yield
        return
    from ubersim.viewer.launch import open_beside  # an extra

    page = open_beside(*server.address, port=port, token_file=token_file)
    try:
        yield
    finally:
        page.terminate()
        page.wait()


def _run(server: Server, frames: int | None) -> None:
    """Until its frames are done or somebody interrupts it; either way the line of the status ends."""
    # Not by an exception, which could strike in the middle of a step or of a block of the log; nor while all is closed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())
    try:
        server.run(frames)
    finally:
        if sys.stderr.isatty():
            print(file=sys.stderr)


def _sum_up(server: Server) -> None:
    simulation, wall = server.simulation, server.real_time.elapsed()
    factor = f": {simulation.time / wall:.1f}x real time" if simulation.frame else ""
    print(f"{simulation.frame} frames, {simulation.time:g} s simulated in {wall:.3f} s{factor}", flush=True)


def _workers(render: str) -> int:
    """How many processes draw; 0: this one does."""
    if render == "inline":
        return 0
    found = re.fullmatch(r"workers=([1-9][0-9]?)", render)
    if found is None:
        raise UberSimError(f"--render takes inline or workers=N, with N from 1 to 99, not {render!r}")
    return int(found[1])


def _token(host: str, file: Path | None) -> str | None:
    if file is not None:
        return token_in(file)
    if not _is_loopback(host):
        raise UberSimError(f"{host} can be reached from other machines: give --token-file, or listen on 127.0.0.1")
    return None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _say(what: str) -> None:
    """On a line of its own, even where the status is."""
    print(f"\r\x1b[K{what}" if sys.stderr.isatty() else what, file=sys.stderr, flush=True)


def _status(server: Server) -> None:
    slowest = f", waiting for {server.clients.slowest}" if server.clients.slowest else ""
    line = (
        f"frame {server.simulation.frame}, {server.simulation.time:.2f} s, {len(server.clients.sessions)} robots, "
        f"{server.real_time.factor():.2f}x real time{slowest}"
    )
    print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
    server.clients.slowest = ""
