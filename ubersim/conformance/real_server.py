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
from ubersim.protocol import ClientConnection, Error
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.transport.connect import open_connection, send_at_once
from ubersim.transport.listen import address_of, listen

RUN = 200
"""Frames."""
_LONGEST_PAUSE = 0.002
"""Between two pieces [s]."""


def same_bits(bench: Bench) -> Iterator[str]:
    """On a real server the run gives the same bits, whether the network is quick or cuts and delays everything."""
    (quick, error), (slow, other_error) = (_digests(bench, disturbed) for disturbed in (False, True))
    if error or other_error:
        frames, reason = (len(quick), error) if error else (len(slow), other_error)
        yield f"a real server drops it in frame {frames - 1}: {reason}"
        return
    for frame, (one, other) in enumerate(zip(quick, slow, strict=False)):
        if one != other:
            yield f"its commands depend on the network: another world from frame {frame} on"
            return
    if len(quick) != len(slow):
        yield f"it stayed for {len(quick)} frames, and for {len(slow)} when the network was slow"


def _digests(bench: Bench, disturbed: bool) -> tuple[list[str], str]:
    """The digest of each frame; and what the server said if it dropped the program."""
    text = io.StringIO()
    with (
        Server(Simulation(), port=0, clients=1, timeout=bench.patience, digest=text) as server,
        _Network(server.address.port, disturbed) as network,
        subprocess.Popen(
            filled(bench.command, *network.address),
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
    return lines, network.error


class _Network:
    """Stands between the program and the server, and hands on what comes: if disturbed, in pieces, with pauses."""

    def __init__(self, port: int, disturbed: bool) -> None:
        self.error = ""
        """What the server said when it dropped the program."""
        self._port = port
        self._disturbed = disturbed
        self._listener = listen("127.0.0.1", 0)
        self.address = address_of(self._listener)
        self._random = random.Random(0)
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> _Network:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            theirs, _ = self._listener.accept()
            send_at_once(theirs)
            ours = open_connection("127.0.0.1", self._port)
            send_at_once(ours)
            for source, target, heard in ((theirs, ours, None), (ours, theirs, ClientConnection())):
                threading.Thread(target=self._hand_on, args=(source, target, heard), daemon=True).start()

    def _hand_on(self, source: socket.socket, target: socket.socket, heard: ClientConnection | None) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if heard is not None:
                    self._listen(heard, data)
                if not self._disturbed:
                    target.sendall(data)
                    continue
                cut = self._random.randrange(len(data))
                target.sendall(data[:cut])
                time.sleep(self._random.uniform(0.0, _LONGEST_PAUSE))
                target.sendall(data[cut:])
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def _listen(self, heard: ClientConnection, data: bytes) -> None:
        heard.receive_data(data)
        for event in heard.events():
            if isinstance(event, Error):
                self.error = event.text
