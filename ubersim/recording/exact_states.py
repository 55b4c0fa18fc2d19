"""The state of any frame of a log, to the bit: what was not kept is simulated again, from the nearest frame known."""

from __future__ import annotations

from dataclasses import replace

from ubersim.errors import UberSimError
from ubersim.recording.block import bodies_of, state_of
from ubersim.recording.log import Log, LogInstant
from ubersim.recording.time_travel import TimeTravel

FARTHEST = 100_000
"""Frames that are simulated for one that is asked for; for those farther on, what is likely has to do."""


class ExactStates:
    """Looks into the run as it is simulated again, as far as is asked."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._travel: TimeTravel | None = None

    def refined(self, instant: LogInstant) -> LogInstant:
        """The same instant with the states of its frame, if these were not kept and can be found out."""
        frame = instant.frame
        block = self._log.block(self._log.block_at(frame))
        if frame in block.sampled or not block.first <= frame < block.end:
            return instant
        try:
            travel = self._travel = self._travel or TimeTravel(self._log)
            if frame - travel.frame > FARTHEST:
                return instant
            travel.go(frame)
        except UberSimError:  # a log that was damaged, or a run that goes another way now
            self._travel = None
            return instant
        simulation = travel.simulation
        return replace(instant, states=dict(zip(bodies_of(simulation), state_of(simulation.world), strict=True)))
