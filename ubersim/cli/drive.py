"""`ubersim drive`: a robot by keyboard or gamepad, in a terminal or at the live page."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import a_number, app
from ubersim.cli.beside_server import page_beside, recorder_of
from ubersim.cli.server_status import overwrite

if TYPE_CHECKING:
    from ubersim.client.robot import RemoteRobot
    from ubersim.server import Server


@app.command()
def drive(
    robot: Annotated[Path, typer.Argument(help="Robot file, or the name of one that comes along.")],
    world: Annotated[Path | None, typer.Option(help="World of a server of its own; default: an empty ground.")] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Join the server that listens there, instead of one's own.")
    ] = None,
    host: Annotated[str, typer.Option(help="With --port: where that server is.")] = "127.0.0.1",
    name: Annotated[str | None, typer.Option(help="The robot's name on the server.")] = None,
    gamepad: Annotated[Path | None, typer.Option(help="Device of a gamepad, such as /dev/input/js0.")] = None,
    rate: Annotated[
        float, typer.Option(callback=a_number, min=0, help="Times real time, at most; 0: as fast as it goes.")
    ] = 1.0,
    view: Annotated[bool, typer.Option("--view", help="Open a page to watch it, in a browser.")] = False,
    view_port: Annotated[int, typer.Option(min=0, max=65535, help="With --view: port of the page.")] = 8080,
    record: Annotated[Path | None, typer.Option(help="Write a log of the run to this file (MCAP).")] = None,
) -> None:
    """Drive a robot by keyboard or gamepad, here or at its live page: by twist, balanced, or joint by joint."""
    from ubersim.client import connect

    if port is not None:
        with connect(robot, host, port, name=name, wait=5.0, protocol=2) as remote:
            _steer(remote, gamepad, rate, page=True)  # that of the server, if it has one
        return
    with (
        _own_server(world, record, rate) as server,
        page_beside(server, view_port if view else None, None, follow=True),
        connect(robot, *server.address, name=name, protocol=2) as remote,
    ):
        _steer(remote, gamepad, 0.0, page=view)  # the server keeps the pace, which the page may change


def _steer(remote: RemoteRobot, device: Path | None, rate: float, *, page: bool) -> None:
    from ubersim.driving.gamepad import Gamepad
    from ubersim.driving.keys import Keys
    from ubersim.driving.page_steering import PageSteering
    from ubersim.driving.session import pilot_for, steer

    pilot = pilot_for(remote.settings)
    pad = None if device is None else Gamepad(device)
    there = " The same keys and a gamepad drive it from the live page." if page else ""
    typer.echo(f"{remote.name}: {pilot.help}; x: quit.{there}")
    with Keys() as keys:
        try:
            steer(remote, pilot, keys.pressed, pad, page=PageSteering(remote), rate=rate, told=_tell)
        except KeyboardInterrupt:
            pass
        finally:
            if pad is not None:
                pad.close()
    if sys.stdout.isatty():
        typer.echo()


def _tell(status: str) -> None:
    """In place of the last one, where there is a terminal; elsewhere nothing reads along."""
    if sys.stdout.isatty():
        overwrite(status, sys.stdout)


@contextmanager
def _own_server(world: Path | None, record: Path | None, rate: float) -> Iterator[Server]:
    """A server for one robot, in a thread; a log that could not be written to its end is exit code 1."""
    from ubersim.server import Server
    from ubersim.simulation import Simulation

    simulation = Simulation(world)
    with Server(simulation, port=0, clients=1, rate=rate) as server, recorder_of(simulation, record, 0) as failures:
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()
    if failures:
        raise typer.Exit(1)
