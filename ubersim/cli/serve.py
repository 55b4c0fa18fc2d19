"""`ubersim serve`: a server of robots that connect over TCP."""

from __future__ import annotations

import contextlib
import gc
import ipaddress
import re
import shutil
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from ubersim.cli.app import MaterialsFile, a_number, app
from ubersim.errors import UberSimError

if TYPE_CHECKING:
    from ubersim.server import Lane, ReplayServer, Server
    from ubersim.simulation import Simulation


@app.command()
def serve(
    host: Annotated[
        str, typer.Option(help="Where to listen, or unix:PATH; beyond loopback, with --token-file.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 9040,
    step: Annotated[float | None, typer.Option(help="Length of a frame [s]; default: the world's, or 0.001.")] = None,
    world: Annotated[
        Path | None, typer.Option(help="World file, or the name of one that comes along; default: an empty ground.")
    ] = None,
    materials: MaterialsFile = None,
    clients: Annotated[
        int | None, typer.Option(min=0, help="Wait for this many robots before frame 0; 0: run without any, too.")
    ] = None,
    frames: Annotated[int | None, typer.Option(min=0, help="End after this many frames.")] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            callback=a_number,
            min=0,
            help="Times real time; 0: as fast as it goes. Default: 1 with --view, else 0.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            callback=a_number,
            min=0,
            help="Drop clients that acknowledge nothing for longer [s]; 0: only if unreachable.",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of all noise and all random latencies.")] = 0,
    render: Annotated[str, typer.Option(help="Who draws: inline, or workers=N processes; same bytes.")] = "inline",
    threads: Annotated[
        int, typer.Option(min=1, max=256, help="Threads that solve what does not touch; same bits.")
    ] = 1,
    lookahead: Annotated[bool, typer.Option(help="Run ahead of the acks as far as latency allows; same bits.")] = True,
    lane: Annotated[
        str, typer.Option(help="Who takes plain frames: python, native, or auto, which finds out; same bits.")
    ] = "auto",
    affinity: Annotated[
        str | None, typer.Option(help="Cores that the loop keeps to, such as 0 or 0,2-3; default: any.")
    ] = None,
    loose: Annotated[bool, typer.Option("--loose", help="Wait for no client; such a run does not repeat.")] = False,
    digest: Annotated[Path | None, typer.Option(help="Write a hash of the world per frame to this file.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with the token that clients have to give.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write a log of all that happens to this file (MCAP).")] = None,
    record_images: Annotated[
        int, typer.Option(min=0, help="With --record: keep every Nth picture of each camera; 0: none.")
    ] = 0,
    max_document: Annotated[int, typer.Option(min=1, max=1024, help="Longest robot document [MiB].")] = 32,
    max_bodies: Annotated[int, typer.Option(min=1, max=512, help="Bodies of a robot.")] = 256,
    max_solids: Annotated[int, typer.Option(min=1, help="Solids of a robot.")] = 1024,
    max_rows: Annotated[int, typer.Option(min=1, help="Rows of constraints of a robot's joints.")] = 2048,
    max_contacts: Annotated[int, typer.Option(min=1, help="Contacts of a robot in one step.")] = 1024,
    max_pictures: Annotated[
        int, typer.Option(min=1, help="What is drawn for a robot per simulated second [MiB]; a ray is 256 bytes.")
    ] = 4096,
    max_triangles: Annotated[int, typer.Option(min=0, help="Triangles of a robot's meshes.")] = 250_000,
    max_textures: Annotated[int, typer.Option(min=0, help="Pixels of a robot's textures [2^20].")] = 32,
    max_all_triangles: Annotated[int, typer.Option(min=0, help="Triangles of all robots together.")] = 2_500_000,
    max_log: Annotated[int, typer.Option(min=0, help="What a program may log in one frame [KiB].")] = 1024,
    verbose: Annotated[bool, typer.Option("--verbose", help="Say who comes, who goes and why.")] = False,
    web_port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="A door for programs in browsers: WebSockets at this port.")
    ] = None,
    web_root: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="With --web-port: folder with pages to load.")
    ] = None,
    view: Annotated[bool, typer.Option("--view", help="Open a page to watch, poke and tune, in a browser.")] = False,
    view_port: Annotated[int, typer.Option(min=0, max=65535, help="With --view: port of the page.")] = 8080,
) -> None:
    """Serve a world to robots that come over TCP."""
    gc.disable()  # nothing of what is imported and built from here on goes before the end
    from ubersim.server import Server, cores_of
    from ubersim.simulation import Simulation
    from ubersim.simulation.budget import RobotBudget

    token = _token(host, token_file)
    if record_images and record is None:
        raise UberSimError("--record-images needs --record, which says where to")
    _name_refused_components()
    pace = (1.0 if view else 0.0) if rate is None else rate
    workers = _workers(render)
    cores = None if affinity is None else cores_of(affinity)
    simulation = Simulation(world, materials=materials, step=step, seed=seed, render_workers=workers, threads=threads)
    with (
        ExitStack() as after_server,  # what is closed when the last bytes have gone
        _opened(digest) as digest_to,
        Server(
            simulation,
            host=host,
            port=port,
            clients=clients,
            rate=pace,
            timeout=timeout,
            lookahead=lookahead,
            loose=loose,
            lane=_lane(lane),
            token=token,
            max_document=max_document * 2**20,
            budget=RobotBudget(
                max_bodies,
                max_solids,
                max_rows,
                max_contacts,
                max_pictures * 2.0**20,
                max_triangles,
                max_textures * 2**20,
                max_all_triangles,
            ),
            max_log=max_log * 2**10,
            digest=digest_to,
            report=_show_status if sys.stderr.isatty() else None,
            note=_print_note if verbose else lambda _: None,
        ) as server,
        recorder_of(simulation, record, record_images) as failures,
    ):
        if loose:
            _print_note("loose: the world waits for no client, so this run is not reproducible; its log is")
        gc.freeze()
        gc.enable()
        _stop_by_signals(server)
        print(f"listening on {server.address}", flush=True)
        if view and rate is None:
            print("in real time, for the page; --rate 0 is as fast as it goes", flush=True)
        after_server.enter_context(_web_door(server, web_port, web_root))
        with page_beside(server, view_port if view else None, token_file):
            if cores is not None:
                _pin(simulation, cores, workers)
            _run(server, frames)
    _print_totals(server)
    if failures:
        raise typer.Exit(1)


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
        _print_note(f"the log ends in frame {simulation.frame}: {reason}")

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
def _web_door(server: Server, port: int | None, root: Path | None) -> Iterator[None]:
    """A door for programs in browsers, if there is a port for it."""
    if port is None:
        yield
        return
    from ubersim.cli.web_files import WebFiles
    from ubersim.transport.web_door import WebDoor  # an extra

    with WebDoor(server.address, port, WebFiles(root).find) as door:
        print(f"browsers at http://127.0.0.1:{door.port}", flush=True)
        yield


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


def _print_totals(server: Server) -> None:
    simulation, wall = server.simulation, server.real_time.elapsed()
    factor = f": {simulation.time / wall:.1f}x real time" if simulation.frame else ""
    print(
        f"{simulation.frame} frames, {simulation.time:g} s simulated in {wall:.3f} s{factor}{_failed_solves(server)}",
        flush=True,
    )


def _failed_solves(server: Server) -> str:
    """Nothing, as long as there are none."""
    count = server.simulation.world.failed_solves
    return f", {count} failed solves" if count else ""


def _workers(render: str) -> int:
    """How many processes draw; 0: this one does."""
    if render == "inline":
        return 0
    found = re.fullmatch(r"workers=([1-9][0-9]?)", render)
    if found is None:
        raise UberSimError(f"--render takes inline or workers=N, with N from 1 to 99, not {render!r}")
    return int(found[1])


def _lane(name: str) -> Lane:
    from ubersim.server import LANES

    for lane in LANES:
        if lane == name:
            return lane
    raise UberSimError(f"--lane takes {', '.join(LANES[:-1])} or {LANES[-1]}, not {name!r}")


def _token(host: str, file: Path | None) -> str | None:
    from ubersim.transport.address import check_host
    from ubersim.transport.token import token_in

    check_host(host)
    if file is not None:
        return token_in(file)
    if not _is_loopback(host):
        raise UberSimError(f"{host} can be reached from other machines: give --token-file, or listen on 127.0.0.1")
    return None


def _is_loopback(host: str) -> bool:
    from ubersim.transport.transports import transport_of

    if (transport := transport_of(host)) is not None:
        return transport.stays_here
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _print_note(text: str) -> None:
    """On a line of its own, even where the status is; if nothing reads it any more, that is no reason to stop."""
    from ubersim.description.messages import printable

    text = printable(text)  # strangers have a say in it
    with contextlib.suppress(OSError):
        print(f"\r\x1b[K{text}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)


def _standing_still(server: Server) -> str:
    """Why time does, if it does."""
    if missing := server.missing_robots:
        return f", waiting for {missing} more robot{'s' * (missing > 1)}"
    return ", stands still" if server.stands_still else ""


_MOST_NAMED = 3
"""Robots that the status line names."""


def _show_status(server: Server) -> None:
    failed = _failed_solves(server)
    slowest = f", waiting for {server.clients.slowest}" if server.clients.slowest else _standing_still(server)
    robots = [f"{robot.name}, latency {robot.commands.latency}" for robot in server.simulation.robots.values()]
    names = f" ({'; '.join(robots)})" if 0 < len(robots) <= _MOST_NAMED else ""
    count = "1 robot" if len(robots) == 1 else f"{len(robots)} robots"
    line = (
        f"frame {server.simulation.frame}, {server.simulation.time:.2f} s, {count}{names}, "
        f"{server.real_time.factor():.2f}x real time{failed}{slowest}"
    )
    width = shutil.get_terminal_size().columns - 1  # a line that wraps could not be written over
    print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
    server.clients.slowest = ""
