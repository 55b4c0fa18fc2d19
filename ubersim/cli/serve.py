"""`ubersim serve`: a server of robots that connect over TCP."""

from __future__ import annotations

import gc
import signal
import sys
import warnings
from contextlib import AbstractContextManager, ExitStack, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from ubersim.cli.app import app
from ubersim.cli.beside_server import page_beside, recorder_of, web_gateway
from ubersim.cli.option_groups import grouped
from ubersim.cli.serve_options import (
    LimitOptions,
    ListenOptions,
    OutputOptions,
    PageOptions,
    TimeOptions,
    WorldOptions,
)
from ubersim.cli.server_status import print_note, print_totals, show_status

if TYPE_CHECKING:
    from ubersim.server import Server
    from ubersim.simulation import Simulation


@app.command()
@grouped
def serve(
    listen: ListenOptions,
    world: WorldOptions,
    time: TimeOptions,
    output: OutputOptions,
    page: PageOptions,
    limits: LimitOptions,
) -> None:
    """Serve a world to robots that come over TCP."""
    gc.disable()  # nothing of what is imported and built from here on goes before the end
    token = listen.token()
    output.check()
    _load_extras(view=page.view, web=listen.web_port is not None)
    _name_refused_components()
    cores = time.cores()
    simulation = world.simulation()
    with (
        ExitStack() as after_server,  # what is closed when the last bytes have gone
        _opened(output.digest) as digest,
        _server(simulation, token, digest, listen, time, output, page, limits) as server,
        recorder_of(simulation, output.record, output.record_images) as failures,
    ):
        if time.loose:
            print_note("loose: the world waits for no client, so this run is not reproducible; its log is")
        gc.freeze()
        gc.enable()
        _stop_by_signals(server)
        print(f"listening on {server.address}", flush=True)
        if page.view and time.rate is None:
            print("in real time, for the page; --rate 0 is as fast as it goes", flush=True)
        after_server.enter_context(web_gateway(server, listen.web_port, listen.web_root))
        with page_beside(server, page.port, listen.token_file):
            if cores is not None:
                _pin(simulation, cores, world.workers)
            _run(server, time.frames)
    print_totals(server)
    if failures:
        raise typer.Exit(1)


def _server(
    simulation: Simulation,
    token: str | None,
    digest: TextIO | None,
    listen: ListenOptions,
    time: TimeOptions,
    output: OutputOptions,
    page: PageOptions,
    limits: LimitOptions,
) -> Server:
    from ubersim.server import Server

    return Server(
        simulation,
        host=listen.host,
        port=listen.port,
        clients=time.clients,
        rate=(1.0 if page.view else 0.0) if time.rate is None else time.rate,
        timeout=time.timeout,
        lookahead=time.lookahead,
        loose=time.loose,
        lane=time.known_lane(),
        token=token,
        max_document=limits.max_document * 2**20,
        budget=limits.budget(),
        max_log=limits.max_log * 2**10,
        digest=digest,
        report=show_status if sys.stderr.isatty() else None,
        note=print_note if output.verbose else lambda _: None,
    )


def _load_extras(*, view: bool, web: bool) -> None:
    """So that one that is missing is told before anything is started."""
    modules = {"ubersim.viewer.launch": view, "ubersim.transport.web_gateway": web}
    for module in (module for module, wanted in modules.items() if wanted):
        import_module(module)


def _name_refused_components() -> None:
    """One line for each component of another package that cannot be loaded; the server goes on without it."""
    from ubersim.description.registry import registry

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # which say the same
        refused = registry().refused
    for component in refused:
        print(component, file=sys.stderr, flush=True)


def _opened(file: Path | None) -> AbstractContextManager[TextIO | None]:
    """The file to write to, if there is to be one."""
    return nullcontext() if file is None else file.open("w")


def _pin(simulation: Simulation, cores: frozenset[int], workers: int) -> None:
    """The loop alone: processes that draw are there before, and go where they like."""
    from ubersim.server import keep_to

    if workers:
        simulation.cameras.open()
    keep_to(cores)


def _stop_by_signals(server: Server) -> None:
    """From before it says that it listens: a program that reads that may send one at once."""
    # Not by an exception, which could strike in the middle of a step or of a block of the log; nor while all is closed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())


def _run(server: Server, frames: int | None) -> None:
    """Until its frames are done or a signal stops it; either way the line of the status ends."""
    try:
        server.run(frames)
    finally:
        if sys.stderr.isatty():
            print(file=sys.stderr)
