"""A client program as a process, and a server's end of its connection that does exactly what a trial wants."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence

from ubersim.conformance.answers import Answers
from ubersim.conformance.script import Script
from ubersim.errors import UberSimError
from ubersim.protocol import End, Error, Handshake, ServerConnection, encode
from ubersim.transport.connect import send_at_once
from ubersim.transport.listen import address_of, listen

_TICK = 0.02
_BUFFER = 1 << 16
_RESET = struct.pack("ii", 1, 0)


class Misbehaviour(Exception):
    """What a client did wrong, so that the trial cannot go on."""


def filled(command: Sequence[str], host: str, port: int) -> list[str]:
    """The program's words, with the server's address in their places."""
    return [word.replace("{host}", host).replace("{port}", str(port)) for word in command]


class ProgramRun:
    """One run of the program, from its start to its end, which comes at the latest when this is closed."""

    def __init__(self, command: Sequence[str], patience: float, receive_buffer: int = 0) -> None:
        """`patience`: how long the program may take for anything [s]."""
        self._patience = patience
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # closed with this
        with listen("127.0.0.1", 0) as listener:
            if receive_buffer:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            try:
                self.process = subprocess.Popen(
                    filled(command, *address_of(listener)),
                    stdin=subprocess.DEVNULL,
                    stdout=self._output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise UberSimError(f"{command[0]}: {error.strerror}") from None
            self._socket = self._accept(listener)
        self._socket.settimeout(patience)
        send_at_once(self._socket)

    def __enter__(self) -> ProgramRun:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._kill()
        self._output.close()

    def _kill(self) -> None:
        """Ends it, with whatever it has started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _accept(self, listener: socket.socket) -> socket.socket:
        deadline = time.monotonic() + self._patience
        while not select.select([listener], [], [], _TICK)[0]:
            if self.process.poll() is not None:
                raise Misbehaviour(f"it ended with status {self.process.returncode} before it connected: {self.said()}")
            if time.monotonic() > deadline:
                self._kill()
                raise Misbehaviour(f"it did not connect within {self._patience:g} s: {self.said()}")
        return listener.accept()[0]

    def said(self) -> str:
        """The end of what it has printed so far."""
        self._output.seek(0)
        return self._output.read().decode(errors="replace").strip()[-300:] or "it printed nothing"

    def document(self) -> str:
        """The robot that it brings along."""
        wire = ServerConnection()
        while True:
            try:
                data = self._socket.recv(_BUFFER)
            except TimeoutError:
                raise Misbehaviour(f"no NUL ended its document within {self._patience:g} s") from None
            if not data:
                raise Misbehaviour("it closed the connection before its document was complete")
            wire.receive_data(data)
            for event in wire.events():
                assert isinstance(event, Handshake)
                if wire.trailing_data:
                    raise Misbehaviour("it sends something before the Welcome has come")
                return event.document.decode()

    def send(self, data: bytes, cut: Callable[[int], int] | None = None, pause: float = 0.0) -> None:
        """Sends bytes; `cut` says how many go at once, after so many, and `pause` how long it waits then [s]."""
        try:
            if cut is None:
                self._socket.sendall(data)
                return
            place = 0
            while place < len(data):
                size = max(1, cut(place))
                self._socket.sendall(data[place : place + size])
                place += size
                time.sleep(pause)
        except TimeoutError:
            raise Misbehaviour(f"it read nothing for {self._patience:g} s") from None
        except OSError as error:
            raise Misbehaviour(f"it closed the connection in mid-run ({error.strerror}): {self.said()}") from None

    def send_aside(self, data: bytes) -> threading.Thread:
        """The same while answers are read."""

        def send() -> None:
            with contextlib.suppress(Misbehaviour):  # the reader notices
                self.send(data)

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        return thread

    def await_ack(self, answers: Answers, frame: int, slowly: bool = False) -> None:
        """Until it has acknowledged that frame."""
        deadline = time.monotonic() + self._patience
        while answers.acked < frame:
            if answers.faults:
                raise Misbehaviour(answers.faults[0])
            if time.monotonic() > deadline:
                raise Misbehaviour(f"frame {answers.acked + 1} was not acknowledged within {self._patience:g} s")
            if not select.select([self._socket], [], [], _TICK)[0]:
                continue
            try:
                data = self._socket.recv(7 if slowly else _BUFFER)
            except OSError:
                data = b""
            if not data:
                raise Misbehaviour(f"it closed the connection in mid-run: {self.said()}")
            answers.take(data)

    def finish(self, script: Script, last: bytes = b"") -> int:
        """Closes as a server does at the end of a run; the status with which the program ends."""
        if last:
            self.send(last)
        elif script.version >= 2:
            self.send(encode(End("finished", 0, "the run has ended")))
        self._socket.shutdown(socket.SHUT_WR)
        return self.status()

    def fail(self, script: Script | None, reason: str) -> int:
        """Drops the client, and says why; the status with which the program ends."""
        last = encode(Error(reason))
        if script is not None and script.version >= 2:
            last += encode(End("failed", 0, reason))
        self.send(last)
        self._socket.shutdown(socket.SHUT_WR)
        return self.status()

    def vanish(self) -> int:
        """Resets the connection, as a machine that lost its power would."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._socket.close()
        return self.status()

    def status(self) -> int:
        """With which the program ends by itself; what it still sends is read and forgotten."""
        deadline = time.monotonic() + self._patience
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise Misbehaviour(f"it went on for more than {self._patience:g} s after the connection had ended")
            if self._socket.fileno() >= 0 and select.select([self._socket], [], [], _TICK)[0]:
                try:
                    if not self._socket.recv(_BUFFER):
                        time.sleep(_TICK)
                except OSError:
                    time.sleep(_TICK)
            else:
                time.sleep(_TICK)
        if self.process.returncode < 0:
            raise Misbehaviour(f"it was ended by signal {-self.process.returncode}: {self.said()}")
        return self.process.returncode
