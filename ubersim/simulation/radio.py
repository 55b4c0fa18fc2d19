"""The radios of all robots: one channel for each team, on which everything arrives that is said."""

from __future__ import annotations

from ubersim.components.sensors.surroundings import Said


class Radios:
    """Who sends on which channel. What is lost or late on its way is the business of the radio that hears it."""

    def __init__(self) -> None:
        self._channels: dict[str, dict[str, Said]] = {}

    def open(self, team: str, robot: str, said: Said) -> None:
        """A robot's radio is switched on; `said` is what it sends."""
        self._channels.setdefault(team, {})[robot] = said

    def close(self, robot: str) -> None:
        """The robot has gone; a team of which nobody is left has no channel."""
        for team in list(self._channels):
            self._channels[team].pop(robot, None)
            if not self._channels[team]:
                del self._channels[team]

    @property
    def teams(self) -> int:
        """How many channels there are."""
        return len(self._channels)

    def heard(self, team: str, robot: str, since: int, until: int) -> list[tuple[int, str, bytes]]:
        """Frame, sender and message of what others of the team said from one frame up to another, oldest first."""
        found = [
            (frame, sender, message)
            for sender, said in sorted(self._channels.get(team, {}).items())
            if sender != robot
            for frame, message in said
            if since <= frame < until
        ]
        return sorted(found, key=lambda one: one[0])
