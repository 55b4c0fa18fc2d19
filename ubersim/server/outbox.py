"""What is on its way to one supervisor, who may be slow to read: answers pile up, pictures of the truth do not."""

from __future__ import annotations

import socket
import threading
from collections import deque

from ubersim.protocol.drawings import drawing_name
from ubersim.protocol.picture import EncodedPicture
from ubersim.protocol.supervisor_events import ForwardedDrawing, ForwardedLog
from ubersim.protocol.supervisor_messages import encode_to_supervisor

MOST_UNREAD = 64 * 2**20
"""If more of the answers is not read, requests wait [bytes]."""
MOST_OF_ALL = 256 * 2**20
"""What may pile up nevertheless, of answers to requests that cannot wait [bytes]."""
MOST_LOGGED = 8 * 2**20
"""Of what programs log that waits for the next picture; then the oldest goes [bytes]."""
MOST_DRAWINGS = 256
"""That wait for the next picture; of the same name, the newest."""


class Outbox:
    """Sends what can be sent without waiting, for two threads; `write` sends more of it as soon as that is possible."""

    def __init__(self, connection: socket.socket) -> None:
        self.broken = False
        """Whether nothing can be sent any more: the other side has gone, or reads too little."""
        self._connection = connection
        self._lock = threading.Lock()
        self._data = bytearray()
        self._picture: EncodedPicture | None = None
        self._legend = -1
        self._drawings: dict[tuple[str, bytes], bytes] = {}
        self._logs: deque[bytes] = deque()
        self._logged = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be sent."""
        return not self._data and self._picture is None

    @property
    def congested(self) -> bool:
        """Whether so much waits to be sent that nothing should be added that can wait."""
        return len(self._data) > MOST_UNREAD and not self.broken

    def send(self, data: bytes) -> bool:
        """Sends a message after all that was sent before; False if something is left."""
        with self._lock:
            self._data += data
            return self._write()

    def show(self, picture: EncodedPicture) -> bool:
        """Sends a picture unless the one before is still on its way: then it waits, or is replaced by the next."""
        with self._lock:
            self._picture = picture
            return self._write()

    def show_surely(self, picture: EncodedPicture) -> bool:
        """Sends a picture that was asked for."""
        with self._lock:
            self._append(picture)
            return self._write()

    def keep_drawing(self, robot: str, payload: bytes) -> bool:
        """Keeps a drawing for the next picture; False if there are too many."""
        key = robot, drawing_name(payload)
        with self._lock:
            if key not in self._drawings and len(self._drawings) >= MOST_DRAWINGS:
                return False
            self._drawings[key] = encode_to_supervisor(ForwardedDrawing(robot, payload))
            return True

    def keep_log(self, log: ForwardedLog) -> None:
        """Keeps what a program has logged for the next picture."""
        data = encode_to_supervisor(log)
        with self._lock:
            self._logs.append(data)
            self._logged += len(data)
            while self._logged > MOST_LOGGED and len(self._logs) > 1:
                self._logged -= len(self._logs.popleft())

    def write(self) -> None:
        """Sends what can be sent now."""
        with self._lock:
            self._write()

    def take_rest(self) -> bytes:
        """What has been begun to be sent, for another to send the rest; here nothing is sent any more.

        What programs have logged is added: there is no next picture that it could go with.
        """
        with self._lock:
            rest = b"" if self.broken else bytes(self._data) + b"".join(self._logs)
            self.broken = True
            self._data.clear()
            return rest

    def _write(self) -> bool:
        self.broken = self.broken or len(self._data) > MOST_OF_ALL
        if self.broken:
            self._data.clear()
            return False
        try:
            while not self.is_empty:
                if not self._data and self._picture is not None:
                    self._append(self._picture)
                    self._picture = None
                del self._data[: self._connection.send(self._data)]
        except BlockingIOError:
            return False
        except OSError:
            self.broken = True
        return not self.broken

    def _append(self, picture: EncodedPicture) -> None:
        self._data += b"".join(self._drawings.values())
        self._drawings.clear()
        self._data += b"".join(self._logs)
        self._logs.clear()
        self._logged = 0
        self._data += picture.opening
        if self._legend != picture.legend_number:
            self._legend = picture.legend_number
            self._data += picture.legend
        self._data += picture.content
