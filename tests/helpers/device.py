"""A device behind a port, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Device:
    """A cart on the table: its tilt follows what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, float]] = []
        self.stopped = 0

    def readings(self) -> Iterator[tuple[str, Any]]:
        yield "Tilt", 0.001 * len(self.told)

    def command(self, component: str, name: str, value: float) -> None:
        self.told.append((component, name, value))

    def stop(self) -> None:
        self.stopped += 1
