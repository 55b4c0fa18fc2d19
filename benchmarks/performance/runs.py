"""Servers and clients in processes of their own, and what a frame of theirs took."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lockstep import C_SOURCES, HERE

PINNED = ("taskset", "-c", "0")
"""Puts everything on one core."""
AT_ONCE = 10
"""Frames that the server sends at once with a latency of 20: half of them, while the other half is answered."""


@dataclass(frozen=True)
class Run:
    """Microseconds per frame."""

    wall: float
    server: float
    """Processor time of the server, in its best stretch."""
    client: float
    """Processor time of one client."""


class Programs:
    """The clients, compiled where they have to be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        balancer, servo, self._sockets = folder / "segway_pd", folder / "servo_client", folder / "bare_sockets"
        library = C_SOURCES[0].parent / "ubersim.c"
        _compile(balancer, C_SOURCES)
        _compile(servo, [HERE / "servo_client.c", library])
        _compile(self._sockets, [HERE / "bare_sockets.c"])
        self.c = [str(balancer), "127.0.0.1", "{port}", "{document}", "0"]
        self.servo = [str(servo), "127.0.0.1", "{port}", "{document}"]
        self.plain = [sys.executable, str(HERE / "performance" / "plain_client.py"), "{port}", "{document}"]

    def run(
        self,
        client: Sequence[str],
        documents: Sequence[str],
        frames: int,
        *,
        lane: str = "auto",
        prefix: Sequence[str] = (),
        plain: bool = True,
        cores: str = "",
    ) -> Run:
        """One server, whose loop keeps to `cores`, and a client for each document; `plain`: friction as in bare ODE."""
        server = [sys.executable, "-m", "benchmarks.performance.block_server", lane, str(len(documents)), str(frames)]
        command = [*prefix, *server, "plain" if plain else "shipped", *filter(None, [cores])]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE.parent) as process:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            started = [self._start([*prefix, *client], document, port) for document in documents]
            wall, processor = map(float, process.stdout.readline().split())
            used = [os.wait4(pid, 0)[2] for pid in started]
        seconds = min(usage.ru_utime + usage.ru_stime for usage in used)
        return Run(wall, processor, seconds / frames * 1e6)

    def sockets(self, clients: int, frames: int) -> tuple[float, float]:
        """What the system takes to carry a frame to so many C clients and back, ten at a time, by the clock and of the
        server's processor [us]."""
        command = [str(self._sockets), str(clients), str(AT_ONCE), str(frames)]
        clock, processor = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        return float(clock), float(processor)

    def _start(self, client: Sequence[str], document: str, port: str) -> int:
        with tempfile.NamedTemporaryFile("w", suffix=".xml", dir=self.folder, delete=False) as file:
            file.write(document)
        command = [part.format(port=port, document=file.name) for part in client]
        with open(os.devnull, "w") as nowhere:
            return os.posix_spawnp(
                command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)]
            )


def _compile(program: Path, sources: Sequence[Path]) -> None:
    include = C_SOURCES[0].parent
    subprocess.run(["cc", "-std=gnu99", "-O2", f"-I{include}", "-o", program, *sources, "-lm"], check=True)


def start_up(command: Sequence[str]) -> tuple[float, float]:
    """Seconds by the clock and of the processor that a command takes."""
    before = time.perf_counter()
    with open(os.devnull, "w") as nowhere:
        actions = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)]
        pid = os.posix_spawnp(command[0], list(command), os.environ, file_actions=actions)
        usage = os.wait4(pid, 0)[2]
    return time.perf_counter() - before, usage.ru_utime + usage.ru_stime
