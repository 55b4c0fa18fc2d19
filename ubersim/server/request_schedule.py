"""Requests that name the frame in which they are to be executed."""

from __future__ import annotations

import heapq

from ubersim.server.supervisor_connection import ReceivedRequest
from ubersim.timing.latency import NEVER


class RequestSchedule:
    """By frame; those of one frame in the order of the supervisors' names, and of one supervisor as they came."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, str, int, ReceivedRequest]] = []
        self._count = 0

    @property
    def next_frame(self) -> int:
        """The first frame for which there is something."""
        return self._heap[0][0] if self._heap else NEVER

    def add(self, frame: int, received: ReceivedRequest) -> None:
        """For a frame to come."""
        self._count += 1
        heapq.heappush(self._heap, (frame, received.connection.name, self._count, received))

    def drop_orphans(self) -> None:
        """What a supervisor has scheduled that is not here any more is not executed."""
        self._heap = [entry for entry in self._heap if not entry[-1].connection.gone]
        heapq.heapify(self._heap)

    def pop(self) -> ReceivedRequest:
        """The next one."""
        return heapq.heappop(self._heap)[-1]
