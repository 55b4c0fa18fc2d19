"""What acts in a simulation from within, at exact frames: a referee, players."""

from __future__ import annotations

from typing import Any

from ubersim.timing.latency import NEVER


class Actor:
    """Joins `Simulation.actors`. What it does to the world it does by supervisors' commands, so that logs have it."""

    name: str = ""
    """By which snapshots know it."""

    @property
    def next_frame(self) -> int:
        """The next frame in which it wants to act; physics runs no farther at once."""
        return NEVER

    def act(self, frame: int) -> None:
        """Acts in a frame, at or after `next_frame`: sensors were sampled and supervisors served, commands are next."""

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps of it, as plain JSON values."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned; from nothing, as at the beginning."""
