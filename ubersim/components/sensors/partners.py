"""Who it is that touches: geoms, and the numbers in the legend of those that they belong to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.surroundings import Surroundings
from ubersim.geometry import Array

NOT_FELT = -1.0


class Partners:
    """Those whom one sensor may feel. Geoms' ids are never given to others, so that it has to ask for new ones only."""

    def __init__(self, surroundings: Surroundings, only: str | None) -> None:
        """`only`: the name in the legend, or of a robot, of the one that is felt; None: all are."""
        self._there, self._only = surroundings, only
        self._numbers: dict[int, float] = {}
        self._table = _table({})

    def number(self, geom: int) -> float:
        """The number in the legend of the one that a geom belongs to; negative if that one is not felt."""
        if geom not in self._numbers:
            everybody = sorted(self._everybody().items())
            self._numbers = {geom: self._heeded(*who) for geom, who in everybody}
            self._table = _table(self._numbers)
        return self._numbers[geom]

    def known(self) -> tuple[NDArray[np.int64], Array]:
        """Geoms in order, and their numbers, as far as they have been asked for."""
        return self._table

    def forget(self) -> None:
        """All of them."""
        self._numbers, self._table = {}, _table({})

    def _heeded(self, number: int, name: str) -> float:
        return float(number) if self._only in (None, name, name.partition("/")[0]) else NOT_FELT

    def _everybody(self) -> dict[int, tuple[int, str]]:
        there = self._there
        names = {body: name for name, body in there.objects.items()}
        for name, robot in there.robots.items():
            names |= {body: f"{name}/{part}" for part, body in robot.bodies.items()}
        numbers = {name: number for number, name in there.object_ids.names().items()}
        moving = {geom.id: names[geom.body] for geom in there.world.geoms if geom.body is not None}
        known = {geom: (numbers[name], name) for geom, name in moving.items()}
        # The static world comes first in the legend, in the order in which its geoms were made.
        static = [geom.id for geom in there.world.geoms if geom.body is None]
        return known | dict(zip(static, sorted(there.object_ids.names().items()), strict=False))


def _table(numbers: dict[int, float]) -> tuple[NDArray[np.int64], Array]:
    return np.array(list(numbers), dtype=np.int64), np.array(list(numbers.values()), dtype=float)
