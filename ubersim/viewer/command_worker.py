"""Actions of the page on the simulation, one after the other in a thread, while the page goes on showing it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ubersim.client.supervisor import Supervisor
from ubersim.errors import UberSimError

Action = Callable[[Supervisor], object]


class CommandWorker:
    """Has a supervisor of its own. Of waiting actions of one kind, as of a slider, only the newest is done."""

    def __init__(self, supervisor: Supervisor, show_error: Callable[[str], None]) -> None:
        self._supervisor = supervisor
        self._show_error = show_error
        self._news = threading.Condition()
        self._waiting: dict[object, Action] = {}
        threading.Thread(target=self._work, name="commands", daemon=True).start()

    def do(self, action: Action, kind: object = None) -> None:
        """Does it as soon as possible; an action without a kind is never left out."""
        with self._news:
            self._waiting[kind or object()] = action
            self._news.notify()

    def _work(self) -> None:
        while True:
            with self._news:
                while not self._waiting:
                    self._news.wait()
                action = self._waiting.pop(next(iter(self._waiting)))
            try:
                action(self._supervisor)
            except (UberSimError, OSError) as error:
                self._show_error(str(error))
