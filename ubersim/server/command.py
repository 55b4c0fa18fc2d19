"""`ubersim serve`: options in, a running server out."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import signal
import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import TextIO

from ubersim.description.registry import registry
from ubersim.errors import UberSimError
from ubersim.server.server import Server
from ubersim.simulation import Simulation


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
) -> None:
    """Serves until it has done its frames, or is interrupted."""
    token = _token(host, token_file)
    _name_refused_components()
    simulation = Simulation(world, materials=materials, step=step, seed=seed, render_workers=_workers(render))
    signal.signal(signal.SIGTERM, _interrupt)
    with contextlib.ExitStack() as stack:
        digest_to: TextIO | None = None if digest is None else stack.enter_context(digest.open("w"))
        server = stack.enter_context(
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
            )
        )
        if record is not None:
            from ubersim.recording import Recorder  # an extra

            stack.enter_context(Recorder(simulation, record, images=record_images))
        print("listening on {}:{}".format(*server.address), flush=True)
        if view_port is not None:
            from ubersim.view.command import open_beside  # an extra

            page = open_beside(*server.address, port=view_port, token_file=token_file)
            stack.callback(page.wait)
            stack.callback(page.terminate)
        try:
            server.run(frames)
        except KeyboardInterrupt:
            pass
        finally:
            if sys.stderr.isatty():
                print(file=sys.stderr)
    wall = server.pace.elapsed()
    factor = f": {simulation.time / wall:.1f}x real time" if simulation.frame else ""
    print(f"{simulation.frame} frames, {simulation.time:g} s simulated in {wall:.3f} s{factor}", flush=True)


def _name_refused_components() -> None:
    """Other packages' components that cannot be had: one line for each, and the server goes on without them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # which say the same
        refused = registry().refused
    for component in refused:
        print(component, file=sys.stderr, flush=True)


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
        try:
            token = file.read_text().strip()
        except OSError as error:
            raise UberSimError(f"cannot read the token from {file}: {error.strerror}") from None
        if not token:
            raise UberSimError(f"{file} holds no token")
        return token
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


def _interrupt(signal_number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _status(server: Server) -> None:
    slowest = f", waiting for {server.slowest}" if server.slowest else ""
    line = (
        f"frame {server.simulation.frame}, {server.simulation.time:.2f} s, {len(server.sessions)} robots, "
        f"{server.pace.factor():.2f}x real time{slowest}"
    )
    print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
    server.slowest = ""
