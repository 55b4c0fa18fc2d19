"""What a program that nothing waits for has yet to see: one frame at a time goes to it, with what is newest then.

A frame goes out when the one before it has been acknowledged. So nothing old waits in the buffers of a connection: a
program that takes its time misses frames, as it would with a real robot's driver, and what it sees is of now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ubersim.description.readings import ReadingDescription


class UnseenReadings:
    """Of each sensor one reading; and whether the program is busy with a frame."""

    def __init__(self, sensors: Mapping[str, ReadingDescription]) -> None:
        """`sensors` are those of the robot, by name."""
        self._sensors = sensors
        self._readings: dict[str, bytes] = {}
        self._open: int | None = None

    def __bool__(self) -> bool:
        return bool(self._readings)

    def add(self, readings: Iterable[tuple[str, bytes]]) -> None:
        """These, name and payload, have come; they take the place of older ones."""
        for name, payload in readings:
            older = self._readings.get(name)
            self._readings[name] = payload if older is None else self._sensors[name].with_missed(older, payload)

    def take(self) -> list[tuple[str, bytes]]:
        """All that is there, for a frame."""
        taken, self._readings = [*self._readings.items()], {}
        return taken

    @property
    def awaited(self) -> bool:
        """Whether the program has answered all that it was sent."""
        return self._open is None

    def sent(self, frame: int) -> None:
        """The program is busy with that frame now."""
        self._open = frame

    def acknowledged(self, frame: int) -> None:
        """It has answered that frame, and with it all before."""
        if self._open is not None and frame >= self._open:
            self._open = None

    def forget(self) -> None:
        """Time is another."""
        self._readings, self._open = {}, None
