"""A client that does its work and hashes all that it is told: whatever happens beside it, the hash stays the same."""

from __future__ import annotations

import contextlib
import hashlib
import math
import threading

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim.protocol import Ack, Command

DOCUMENT = cart("Good", x=0.0, latency="5", sensor="<Noise>0.01</Noise>")


class GoodClient(threading.Thread):
    """Works in a thread of its own."""

    def __init__(self, port: int | str) -> None:
        """It has joined when this returns; `port`, or the path of a Unix socket."""
        super().__init__(daemon=True)
        self._client = RawClient(port, DOCUMENT)
        self._client.socket.settimeout(300)  # a machine may be busy with all that happens beside
        self._client.welcome()
        self.frames = 0
        """How many there were so far."""
        self._told = hashlib.sha256()
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        """Until the server ends."""
        try:
            self._work()
        except BaseException as error:
            self._error = error

    def _work(self) -> None:
        client = self._client
        while (frame := client.frame()) is not None:
            time, readings = frame
            self._told.update(repr((time, [(reading.name, reading.payload) for reading in readings])).encode())
            self.frames += 1
            with contextlib.suppress(OSError):  # the server has what it needs, and is gone
                client.send(Command("Motor", 2, 4.0 * math.sin(3.0 * time)), Ack(time))

    def result(self) -> tuple[int, str]:
        """Waits for the end; how many frames there were, and the hash of all of them."""
        self.join(300)
        assert self._error is None and not self.is_alive(), self._error
        return self.frames, self._told.hexdigest()
