"""What sensors had delivered last, at any time of a log."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ubersim.recording.log import Log

OLDEST = 64
"""How many blocks before the one asked for are looked through."""

Reading = tuple[int, bytes]
"""The frame in which it was delivered, and its payload."""


class Readings:
    """Random access. Pictures that were not recorded are as if they had never been taken."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._pictures = lru_cache(maxsize=2)(log.pictures)

    def before(self, frame: int, robot: str, sensor: str) -> Reading | None:
        """The newest reading of a sensor that was delivered in this frame or before; None: there is none."""
        last = self._log.block_at(frame)
        for number in range(last, max(-1, last - OLDEST), -1):
            if (found := self._in_block(number, frame, robot, sensor)) is not None:
                return found
        return None

    def _in_block(self, number: int, frame: int, robot: str, sensor: str) -> Reading | None:
        block = self._log.block(number)
        if (robot, sensor) not in block.components:
            return None
        own = block.components.index((robot, sensor))
        candidates = np.flatnonzero((block.readings["component"] == own) & (block.readings["frame"] <= frame))
        ends = np.cumsum(block.readings["size"], dtype=np.int64)
        for place in reversed(candidates.tolist()):
            delivered, _, size, picture = block.readings[place].tolist()
            payload = block.payloads[ends[place] - size : ends[place]]
            if not picture:
                return delivered, payload
            message = self._pictures(number).get((f"/{robot}/{sensor}", delivered), b"")
            if message:
                return delivered, payload + message[len(message) - picture :]
        return None
