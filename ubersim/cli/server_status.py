"""What a server says in a terminal: a line that tells how it goes, notes above it, totals in the end."""

from __future__ import annotations

import contextlib
import shutil
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from ubersim.server import Server

_MOST_NAMED = 3
"""Robots that the status line names."""


def show_status(server: Server) -> None:
    """Writes the line, over the last one."""
    failed = _failed_solves(server)
    slowest = f", waiting for {server.clients.slowest}" if server.clients.slowest else _standing_still(server)
    robots = [f"{robot.name}, latency {robot.commands.latency}" for robot in server.simulation.robots.values()]
    names = f" ({'; '.join(robots)})" if 0 < len(robots) <= _MOST_NAMED else ""
    count = "1 robot" if len(robots) == 1 else f"{len(robots)} robots"
    line = (
        f"frame {server.simulation.frame}, {server.simulation.time:.2f} s, {count}{names}, "
        f"{server.real_time.factor():.2f}x real time{failed}{slowest}"
    )
    overwrite(line, sys.stderr)
    server.clients.slowest = ""


def overwrite(line: str, terminal: TextIO) -> None:
    """Writes a line in place of the last one, cut to the terminal: one that wraps could not be written over."""
    width = shutil.get_terminal_size().columns - 1
    print(f"\r\x1b[K{line[:width]}", end="", file=terminal, flush=True)


def print_note(text: str) -> None:
    """On a line of its own, even where the status is; if nothing reads it any more, that is no reason to stop."""
    from ubersim.description.messages import printable

    text = printable(text)  # strangers have a say in it
    with contextlib.suppress(OSError):
        print(f"\r\x1b[K{text}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)


def print_totals(server: Server) -> None:
    """What a run came to."""
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


def _standing_still(server: Server) -> str:
    """Why time does, if it does."""
    if missing := server.missing_robots:
        return f", waiting for {missing} more robot{'s' * (missing > 1)}"
    return ", stands still" if server.stands_still else ""
