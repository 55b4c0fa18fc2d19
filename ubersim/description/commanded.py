"""What components have in common that take commands at run time: their fields say which, and within which limits."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from ubersim.description.component import Component


class CommandedComponent(Component, ABC, abstract=True):
    """Its fields with an `index` are properties that commands set; it may take payloads of its own, too."""

    name: str
    payload: ClassVar[str] = ""
    """What a payload of its own is, for the reference; empty: it takes none."""

    @classmethod
    def properties(cls) -> dict[str, int]:
        """Names and numbers of what can be set at run time."""
        return {name: number for entry in cls.entries() for name, number in entry.numbers.items()}

    @cached_property
    def limits(self) -> Mapping[int, tuple[float, float]]:
        """Smallest and largest value of each property at run time, in SI units, latencies in milliseconds."""
        return {number: entry.kind.limits() for entry in self.entries() for number in entry.numbers.values()}

    def refusal(self, number: int, value: float) -> str | None:
        """Why a property cannot have a value at run time; None if it can."""
        low, high = self.limits[number]
        if low <= value <= high:
            return None
        return f"it takes {low:g} to {high:g}" if low != math.ulp(0.0) else f"it takes more than 0, up to {high:g}"

    def decoded(self, payload: bytes) -> Any:
        """What a payload of its own says; a ValueError refuses it."""
        raise ValueError(f"a {self.tag} takes no payload of its own")
