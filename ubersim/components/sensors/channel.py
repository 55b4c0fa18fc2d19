"""A sensor's way to its client: sampled when due, delayed by its latency, delivered as bytes."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from ubersim.components.commandable import Commandable
from ubersim.components.sensors.budget import ReadingBudget
from ubersim.components.sensors.lent_readings import LentReadings, ReturnedReadings
from ubersim.components.sensors.surroundings import Pending
from ubersim.description.base import JointDescription
from ubersim.description.readings import ReadingDescription
from ubersim.errors import UberSimError
from ubersim.protocol.properties import SENSOR_PROPERTIES
from ubersim.protocol.quantity import part_objection, part_of, to_plain
from ubersim.timing.delay_queue import DelayQueue
from ubersim.timing.latency import NEVER, Latency, LatencyModel, objection
from ubersim.timing.periodic import first_due

_STAMP = struct.Struct("<d")
_FREQUENCY = SENSOR_PROPERTIES["Frequency"]
_LATENCY = SENSOR_PROPERTIES["Latency"]
_OVERHEAD = 200
"""What a reading under way takes besides its own bytes."""


class SensorReader(Protocol):
    """The device itself, as a sensor's description builds it."""

    def sample(self) -> bytes | Pending | None:
        """The reading now: its bytes, or where the device takes its time, something that will have them; None: none."""

    def set(self, number: int, value: float) -> None:
        """Changes a setting of the device at run time."""

    def state(self) -> dict[str, Any]:
        """What a snapshot has to keep, as plain JSON values."""

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""


@runtime_checkable
class Spoken(Protocol):
    """A device that takes payloads of its own."""

    def execute(self, payload: bytes, frame: int) -> None:
        """Does in this frame what a payload says."""


@runtime_checkable
class Introducing(Protocol):
    """A device with more to say about its readings than their form."""

    def introduction(self) -> dict[str, Any]:
        """What else a client has to know, as plain JSON values."""


def _discard(reading: bytes | Pending) -> None:
    if not isinstance(reading, bytes):
        reading.discard()


def settled(reading: bytes | Pending) -> bytes:
    """Its bytes, however long they take."""
    return reading if isinstance(reading, bytes) else reading.collect()


class Channel(Commandable):
    """One sensor of one robot, or a joint's report, in simulated time."""

    description: ReadingDescription

    def __init__(
        self,
        description: ReadingDescription,
        reader: SensorReader,
        *,
        robot: str,
        step: float,
        seed: int,
        now: int,
        budget: ReadingBudget,
        joints: Mapping[str, JointDescription],
    ) -> None:
        super().__init__(description)
        self.reader = reader
        self.quantities = description.quantities_on(joints)
        """Names and units of what it tells, as on this robot."""
        self.frequency = description.frequency or None
        """Samples per second; None: one in every frame."""
        self.latest: bytes | None = None
        """The newest reading that has been delivered, without its stamp."""
        self.latest_frame = -1
        """The frame in which that reading was captured."""
        self.captured: list[int] = []
        """The frames in which those readings were captured that `begin` returned last."""
        self._step = step
        latency = description.latency
        self._queue: DelayQueue[tuple[int, bytes | Pending]] = DelayQueue(
            latency, step, latency.generator(seed, robot, self.name, "latency")
        )
        self._budget = budget
        self._highest_frequency = self._samples_per_second(self.frequency)
        self._longest_latency = latency.longest
        self._reserve(self._highest_frequency, self._longest_latency)
        # Sampling instants are those of the simulation's clock, not of the robot's.
        self._next_sample = self._due_at_or_after(now)
        self.next_frame = self._next_sample

    def begin(self, frame: int) -> list[tuple[str, bytes]]:
        """Samples if due, and returns name and payload of the readings whose time has come."""
        if frame >= self._next_sample:
            reading = self.reader.sample()
            if reading is not None and self._queue.push((frame, reading), frame) is None:
                _discard(reading)
            self._next_sample = self._due_at_or_after(frame + 1)
        delivered = []
        if frame >= self._queue.next_frame:
            self.captured = []
            for captured, reading in self._queue.pop_due(frame):
                self.captured.append(captured)
                self.latest = settled(reading)
                self.latest_frame = captured
                stamp = _STAMP.pack(captured * self._step) if self.description.stamped else b""
                delivered.append((self.name, stamp + self.latest))
        self.next_frame = min(self._next_sample, self._queue.next_frame)
        return delivered

    def lend(self) -> LentReadings | None:
        """What decides about its readings from now on, for one who takes them instead, until `take_back`.

        None if that takes more than a constant latency.
        """
        entries = self._queue.lend(lambda item: isinstance(item[1], bytes))
        if entries is None:
            return None
        under_way = [(frame, captured, reading) for frame, _, (captured, reading), _ in entries]
        return LentReadings(under_way, self._next_sample, *self._queue.plain)

    def take_back(self, back: ReturnedReadings) -> None:
        """Goes on from what has become of what was lent."""
        new = [(frame, (captured, reading), captured) for frame, captured, reading in back.new]
        self._queue.take_back(back.left, back.pushed, new, back.latest_arrival)
        if back.latest is not None:
            self.latest, self.latest_frame = back.latest, back.latest_frame
        self._next_sample = back.next_sample
        self.next_frame = min(self._next_sample, self._queue.next_frame)

    def resume(self, frame: int) -> None:
        """Goes on measuring, after it was left alone for a while."""
        self._next_sample = self._due_at_or_after(frame)
        self.next_frame = min(self._next_sample, self._queue.next_frame)

    @property
    def latency(self) -> LatencyModel:
        """How late its readings are now."""
        return self._queue.model

    @property
    def under_way(self) -> int:
        """How many readings have been captured and not yet delivered."""
        return len(self._queue)

    def change_latency(self, latency: Latency) -> None:
        """Of the readings that are captured from now on."""
        longest = latency.longest if isinstance(latency, LatencyModel) else latency
        if not isinstance(latency, LatencyModel) and (reason := objection(latency)):
            raise UberSimError(reason)
        self._reserve(self._highest_frequency, max(self._longest_latency, longest))
        self._queue.change(latency)

    def value(self, part: str = "") -> float | NDArray[Any] | None:
        """The newest delivered reading, or a part of it by name, as a number or an array; None before the first."""
        if part and (reason := part_objection(self.name, self.quantities, part)):
            raise UberSimError(reason)
        if self.latest is None:
            return None
        array = self.description.unpacked(self.latest)
        if part:
            return part_of(array, self.quantities, part, listed=self.description.shape[:1] == (-1,))
        return float(array) if array.ndim == 0 else array

    def check(self, number: int, value: float) -> None:
        """Refuses a value that a property cannot have; whenever it is set, there is memory for what it leads to."""
        super().check(number, value)
        if number == _FREQUENCY:
            self._reserve(max(self._highest_frequency, self._samples_per_second(value or None)), self._longest_latency)
        elif number == _LATENCY:
            self._reserve(self._highest_frequency, max(self._longest_latency, value))

    def _reserve(self, frequency: float, latency: float) -> None:
        """Bytes for what may be on its way at once, and for what is drawn."""
        readings = math.ceil(latency / 1000.0 * frequency) + 1
        needed = readings * (self.description.largest_reading + _OVERHEAD)
        self._budget.reserve(self.name, needed, frequency * self.description.sight)
        self._highest_frequency, self._longest_latency = frequency, latency

    def _samples_per_second(self, frequency: float | None) -> float:
        return 1.0 / self._step if frequency is None else min(frequency, 1.0 / self._step)

    def set(self, number: int, value: float, frame: int) -> None:
        """Executes a property command at this frame; it concerns the samples after it."""
        if number == _FREQUENCY:
            self.frequency = value or None
            self._next_sample = self._due_at_or_after(frame + 1)
        elif number == _LATENCY:
            self._queue.change(value)
        else:
            self.reader.set(number, value)
        self.next_frame = min(self._next_sample, self._queue.next_frame)

    def execute(self, payload: bytes, frame: int) -> None:
        """Lets the device do in this frame what a payload says."""
        if isinstance(self.reader, Spoken):
            self.reader.execute(payload, frame)

    def introduction(self) -> dict[str, Any]:
        """What a client has to know to understand the readings."""
        about = self.description
        plain = {"type": about.type_name, "dtype": about.dtype, "shape": list(about.shape), "stamped": about.stamped}
        named = {"quantities": to_plain(self.quantities)} if self.quantities else {}
        labels = {"labels": about.labels} if about.labels else {}
        return plain | named | labels | (self.reader.introduction() if isinstance(self.reader, Introducing) else {})

    def close(self) -> None:
        """The robot leaves: readings under way are wanted no more."""
        for _, reading in self._queue.pop_due(NEVER):
            _discard(reading)

    def state(self) -> dict[str, Any]:
        """What a snapshot has to keep, as plain JSON values."""
        return {
            "frequency": self.frequency,
            "latest": None if self.latest is None else self.latest.hex(),
            "latest_frame": self.latest_frame,
            "next_sample": self._next_sample,
            "queue": self._queue.state(lambda item: [item[0], settled(item[1]).hex()]),
            "reader": self.reader.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self.close()
        self.frequency = state["frequency"]
        self.latest = None if state["latest"] is None else bytes.fromhex(state["latest"])
        self.latest_frame = state["latest_frame"]
        self._next_sample = state["next_sample"]
        self._queue.restore(state["queue"], lambda item: (item[0], bytes.fromhex(item[1])))
        self.reader.restore(state["reader"])
        self.next_frame = min(self._next_sample, self._queue.next_frame)

    def _due_at_or_after(self, frame: int) -> int:
        """The first frame from `frame` on that is the first at or after a multiple of the period."""
        return first_due(frame, self.frequency, self._step)
