"""How much memory the readings of a robot may take that are on their way, and how much work it is to make them."""

from __future__ import annotations

import math

from ubersim.errors import RemoteProtocolError

MOST_UNDER_WAY = 512 * 2**20
"""Bytes of all readings of a robot that may be on their way at once: size times latency times frequency."""


class ReadingBudget:
    """Shared by all channels of one robot."""

    def __init__(self, robot: str, most_sight: float = math.inf) -> None:
        """`most_sight`: what may be drawn for it in a simulated second [bytes]."""
        self._robot = robot
        self._most_sight = most_sight
        self._reserved: dict[str, int] = {}
        self._sights: dict[str, float] = {}

    def reserve(self, name: str, needed: int, sight: float) -> None:
        """From now on so many bytes are a channel's, and so many to be drawn for it in a simulated second.

        Refuses what all channels together would take too much for.
        """
        wanted, sights = self._reserved | {name: needed}, self._sights | {name: sight}
        self._check("readings under way would take {} bytes", wanted, MOST_UNDER_WAY, "the latency, ")
        self._check("sensors would draw {} bytes in a simulated second", sights, self._most_sight, "")
        self._reserved, self._sights = wanted, sights

    def _check(self, what: str, wanted: dict[str, int] | dict[str, float], most: float, also: str) -> None:
        total = sum(wanted.values())
        if total > most:
            largest = max(wanted, key=lambda name: wanted[name])
            raise RemoteProtocolError(
                f"{self._robot}'s {what.format(f'{total:.0f}')}, mostly of {largest!r}; "
                f"allowed are {most:.0f}: lower {also}the frequency or the size"
            )
