"""`ubersim view`, and the page that other commands open: options in, a page in a browser out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TextIO

from ubersim.client.supervisor import Supervisor, supervise
from ubersim.errors import RefusedError, UberSimError
from ubersim.transport.address import Address
from ubersim.transport.token import token_in
from ubersim.viewer.live import Live
from ubersim.viewer.page import Page
from ubersim.viewer.score_board import ScoreBoard


def view(server: str, *, port: int, token_file: Path | None, follow: bool = False) -> None:
    """Shows a running server until it ends; with `follow`, the camera goes along with the robot that is chosen."""
    address = Address.parse(server)
    token = None if token_file is None else token_in(token_file)
    os.nice(10)  # watching must not take time from the simulation
    with _supervise(address, token) as watcher, _supervise(address, token) as commander:
        page = Page(port, title=f"ÜberSim · {address}", token=token)
        try:
            live = Live(page, watcher, commander)
            if follow:
                live.workspace.cameras.follow()
            live.add(ScoreBoard(page, live.workspace.layout, live.worker))
            _say(f"page at {page.address}", sys.stdout)
            live.run()
        except (RefusedError, ConnectionError) as error:
            _say(str(error), sys.stderr)
        except KeyboardInterrupt:
            pass
        finally:
            page.stop()


def _say(text: str, to: TextIO) -> None:
    """On a line of its own: on a terminal a server beside has begun one, which tells how it goes."""
    print(f"\r\x1b[K{text}" if to.isatty() else text, file=to, flush=True)


def open_beside(
    host: str, server_port: int, *, port: int, token_file: Path | None, follow: bool = False
) -> subprocess.Popen[bytes]:
    """The same in a process of its own."""
    program = [sys.executable, "-m", "ubersim.cli", "view", str(Address(host, server_port))]
    program += ["--port", str(port)]
    if follow:
        program.append("--follow")
    if token_file is not None:
        program += ["--token-file", str(token_file)]
    return subprocess.Popen(program, stdin=subprocess.DEVNULL, preexec_fn=_ignore_interrupts)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the server; the page ends when the server does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _supervise(address: Address, token: str | None) -> Supervisor:
    try:
        return supervise(*address, name="page", token=token)
    except OSError as error:
        raise UberSimError(f"{address}: {error.strerror}") from None
