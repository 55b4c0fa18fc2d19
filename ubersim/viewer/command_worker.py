"""What people do to the simulation from the page, one deed after the other, while the page goes on watching."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ubersim.client.supervisor import Supervisor
from ubersim.errors import UberSimError

Deed = Callable[[Supervisor], object]


class CommandWorker:
    """A supervisor with a thread of its own. Of deeds of one kind that wait, only the newest is done."""

    def __init__(self, supervisor: Supervisor, complain: Callable[[str], None]) -> None:
        self._supervisor = supervisor
        self._complain = complain
        self._news = threading.Condition()
        self._waiting: dict[object, Deed] = {}
        threading.Thread(target=self._work, name="hands", daemon=True).start()

    def do(self, deed: Deed, kind: object = None) -> None:
        """Does it as soon as possible; without a kind, it is never left out."""
        with self._news:
            self._waiting[kind or object()] = deed
            self._news.notify()

    def _work(self) -> None:
        while True:
            with self._news:
                while not self._waiting:
                    self._news.wait()
                deed = self._waiting.pop(next(iter(self._waiting)))
            try:
                deed(self._supervisor)
            except (UberSimError, OSError) as error:
                self._complain(str(error))
