"""How much memory the readings of a robot may take that are on their way."""

from __future__ import annotations

from ubersim.errors import RemoteProtocolError

MOST_UNDER_WAY = 512 * 2**20
"""Bytes of all readings of a robot that may be on their way at once: size times latency times frequency."""


class ReadingBudget:
    """Shared by all channels of one robot."""

    def __init__(self, robot: str) -> None:
        self._robot = robot
        self._reserved: dict[str, int] = {}

    def reserve(self, name: str, needed: int) -> None:
        """From now on so many bytes are a channel's; refuses what all together would take too much for."""
        wanted = self._reserved | {name: needed}
        total = sum(wanted.values())
        if total > MOST_UNDER_WAY:
            largest = max(wanted, key=lambda name: wanted[name])
            raise RemoteProtocolError(
                f"{self._robot}'s readings under way would take {total} bytes, mostly of {largest!r}; "
                f"allowed are {MOST_UNDER_WAY}: lower the latency, the frequency or the size"
            )
        self._reserved = wanted
