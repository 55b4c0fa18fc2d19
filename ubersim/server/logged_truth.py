"""The truth about a recorded run: bodies as they are simulated again, readings as the log has them."""

from __future__ import annotations

from typing import Any

from ubersim.errors import UberSimError
from ubersim.protocol.supervisor_events import CapturedReading
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log
from ubersim.recording.population import robots_of
from ubersim.recording.readings import Readings
from ubersim.recording.time_travel import TimeTravel
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot import Robot
from ubersim.supervision.ground_truth import GroundTruthSource


class LoggedTruth(GroundTruthSource):
    """As supervisors of the server would have seen it."""

    def __init__(self, log: Log, travel: TimeTravel) -> None:
        super().__init__(travel.simulation)
        self._step, self._travel = log.step, travel
        self._readings = Readings(log)
        self._sensors = {
            f"{name}/{sensor.name}": sensor for name, robot in robots_of(log).items() for sensor in robot.sensors
        }
        joined = (item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined")
        self._introductions = {item.robot: item.introduction for item in joined}

    def introduction(self, robot: Robot) -> dict[str, Any]:
        """What its client was told then."""
        return self._introductions.get(robot.name) or introduction_of(robot)

    def largest_reading(self, name: str) -> int:
        """Of a sensor [bytes]."""
        if name not in self._sensors:
            raise UberSimError(f"there is no sensor {name!r}")
        return self._sensors[name].largest_reading

    def reading(self, name: str) -> CapturedReading | None:
        """The newest that had been delivered by then, if the log has it."""
        if name not in self._sensors:
            return None
        found = self._readings.before(self._travel.frame, *name.split("/", 1))
        if found is None:
            return None
        jumped = self._travel.frame - self._travel.simulation.frame
        return CapturedReading(name, (found.captured - jumped) * self._step, found.payload)
