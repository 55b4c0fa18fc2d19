"""The program on a real server, once undisturbed and once through a network that cuts and delays: the same bits."""

from __future__ import annotations

import contextlib
import io
import os
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator

from ubersim.conformance.program_run import Misbehaviour, filled
from ubersim.conformance.trials import Bench
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.transport.address import Address
from ubersim.transport.connect import open_connection, send_at_once
from ubersim.transport.listen import address_of, listen

RUN = 200
"""Frames."""
_LONGEST_PAUSE = 0.002
"""Between two pieces [s]."""


def same_bits(bench: Bench) -> Iterator[str]:
    """On a real server the run gives the same bits, whether the network is quick or cuts and delays everything."""
    quick, slow = (_digests(bench, disturbed) for disturbed in (False, True))
    for frame, (one, other) in enumerate(zip(quick, slow, strict=False)):
        if one != other:
            yield f"its commands depend on the network: another world from frame {frame} on"
            return
    if len(quick) != len(slow):
        yield f"it stayed for {len(quick)} frames, and for {len(slow)} when the network was slow"


def _digests(bench: Bench, disturbed: bool) -> list[str]:
    text = io.StringIO()
    with (
        Server(Simulation(), port=0, clients=1, timeout=bench.patience, digest=text) as server,
        _Network(server.address.port) if disturbed else contextlib.nullcontext(server.address) as address,
        subprocess.Popen(
            filled(bench.command, *address),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as program,
    ):

        def end_with_it() -> None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(20 * bench.patience)
            server.stop()  # which would wait for a robot

        watcher = threading.Thread(target=end_with_it, daemon=True)
        watcher.start()
        try:
            server.run(RUN)
            server.close()
            try:
                program.wait(bench.patience)
            except subprocess.TimeoutExpired:
                raise Misbehaviour(
                    f"it went on for more than {bench.patience:g} s after the server had ended"
                ) from None
        finally:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
        watcher.join(bench.patience)
    lines = text.getvalue().splitlines()
    if len(lines) < 2:
        raise Misbehaviour("it did not take part in a run on a real server")
    return lines


class _Network:
    """Stands between the program and the server, and hands on what comes in pieces, with pauses."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = listen("127.0.0.1", 0)
        self._random = random.Random(0)
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Address:
        return address_of(self._listener)

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            theirs, _ = self._listener.accept()
            send_at_once(theirs)
            ours = open_connection("127.0.0.1", self._port)
            for source, target in ((theirs, ours), (ours, theirs)):
                threading.Thread(target=self._hand_on, args=(source, target), daemon=True).start()

    def _hand_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                cut = self._random.randrange(len(data))
                target.sendall(data[:cut])
                time.sleep(self._random.uniform(0.0, _LONGEST_PAUSE))
                target.sendall(data[cut:])
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
