"""A sensor's way to its client: sampled when due, delayed by its latency, delivered as bytes."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from ubersim.components.sensors.base import SensorDescription
from ubersim.errors import RemoteProtocolError
from ubersim.protocol.properties import SENSOR_PROPERTIES
from ubersim.timing.latency import NEVER, DelayQueue, frame_at

_STAMP = struct.Struct("<d")
_FREQUENCY = SENSOR_PROPERTIES["Frequency"]
_LATENCY = SENSOR_PROPERTIES["Latency"]
_OVERHEAD = 200
"""What a reading under way takes besides its own bytes."""


class SensorReader(Protocol):
    """The device itself, as a sensor's description builds it."""

    def sample(self) -> bytes | Pending:
        """The reading now: its bytes, or where the device takes its time, something that will have them."""

    def set(self, property: int, value: float) -> None:
        """Changes a setting of the device at run time."""

    def state(self) -> dict[str, Any]:
        """What a snapshot has to keep, as plain JSON values."""

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""


class Pending(Protocol):
    """A reading that is still being made, e.g. a picture in a render worker."""

    def collect(self) -> bytes:
        """Waits for the reading's bytes."""

    def discard(self) -> None:
        """Nobody wants it any more."""


@runtime_checkable
class Introducing(Protocol):
    """A device with more to say about its readings than their form."""

    def introduction(self) -> dict[str, Any]:
        """What else a client has to know, as plain JSON values."""


def _discard(reading: bytes | Pending) -> None:
    if not isinstance(reading, bytes):
        reading.discard()


def _settled(reading: bytes | Pending) -> bytes:
    return reading if isinstance(reading, bytes) else reading.collect()


class Channel:
    """One sensor of one robot in simulated time."""

    def __init__(
        self, description: SensorDescription, reader: SensorReader, robot: str, step: float, seed: int, now: int
    ) -> None:
        self.description = description
        self.name = description.name
        self.reader = reader
        self.frequency = description.frequency
        self.latest: bytes | None = None
        """The newest reading that has been delivered, without its stamp."""
        self.latest_frame = -1
        """The frame in which that reading was captured."""
        self._step = step
        latency = description.latency
        self._queue: DelayQueue[tuple[int, bytes | Pending]] = DelayQueue(
            latency, step, latency.generator(seed, robot, self.name, "latency")
        )
        # Sampling instants are those of the simulation's clock, not of the robot's.
        self._highest_frequency = self._samples_per_second(description.frequency)
        self._longest_latency = latency.longest
        self.next_sample = self._due_at_or_after(now)
        self.wakes = self.next_sample
        """The next frame in which there is anything to do here."""

    def begin(self, frame: int) -> list[tuple[str, bytes]]:
        """Samples if due, and returns name and payload of the readings whose time has come."""
        if frame >= self.next_sample:
            reading = self.reader.sample()
            if self._queue.push((frame, reading), frame) is None:
                _discard(reading)
            self.next_sample = self._due_at_or_after(frame + 1)
        delivered = []
        if frame >= self._queue.next_due:
            for captured, reading in self._queue.pop_due(frame):
                self.latest = _settled(reading)
                self.latest_frame = captured
                stamp = _STAMP.pack(captured * self._step) if self.description.stamped else b""
                delivered.append((self.name, stamp + self.latest))
        self.wakes = min(self.next_sample, self._queue.next_due)
        return delivered

    @property
    def latency(self) -> float:
        """The least that a reading takes now [ms]."""
        return self._queue.model.minimum

    def value(self) -> float | NDArray[Any] | None:
        """The newest delivered reading as a number or an array; None before the first."""
        if self.latest is None:
            return None
        array = self.description.unpacked(self.latest)
        return float(array) if array.ndim == 0 else array

    @property
    def most_under_way(self) -> int:
        """Bytes that may be on their way at once, with the highest frequency and the longest latency so far."""
        readings = math.ceil(self._longest_latency / 1000.0 * self._highest_frequency) + 1
        return readings * (self.description.largest_reading + _OVERHEAD)

    def reserve(self, property: int, value: float) -> None:
        """A command for a property has come; whenever it is executed, `most_under_way` reckons with it from now on."""
        if property == _FREQUENCY:
            self._highest_frequency = max(self._highest_frequency, self._samples_per_second(value or None))
        elif property == _LATENCY:
            self._longest_latency = max(self._longest_latency, value)

    def _samples_per_second(self, frequency: float | None) -> float:
        return 1.0 / self._step if frequency is None else min(frequency, 1.0 / self._step)

    def check(self, property: int, value: float) -> None:
        """Refuses a value that a property cannot have."""
        if (reason := self.description.refusal(property, value)) is not None:
            raise RemoteProtocolError(f"property {property} of {self.name!r} cannot be {value:g}: {reason}")

    def set(self, property: int, value: float, frame: int) -> None:
        """Executes a property command at this frame; it concerns the samples after it."""
        if property == _FREQUENCY:
            self.frequency = value or None
            self.next_sample = self._due_at_or_after(frame + 1)
        elif property == _LATENCY:
            self._queue.set_constant(value)
        else:
            self.reader.set(property, value)
        self.wakes = min(self.next_sample, self._queue.next_due)

    @property
    def properties(self) -> Mapping[str, int]:
        """Names and numbers of what can be set at run time."""
        return self.description.properties

    def introduction(self) -> dict[str, Any]:
        """What a client has to know to understand the readings."""
        about = self.description
        plain = {"type": about.tag, "dtype": about.dtype, "shape": list(about.shape), "stamped": about.stamped}
        labels = {"labels": about.labels} if about.labels else {}
        return plain | labels | (self.reader.introduction() if isinstance(self.reader, Introducing) else {})

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
            "next_sample": self.next_sample,
            "queue": self._queue.state(lambda item: [item[0], _settled(item[1]).hex()]),
            "reader": self.reader.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self.close()
        self.frequency = state["frequency"]
        self.latest = None if state["latest"] is None else bytes.fromhex(state["latest"])
        self.latest_frame = state["latest_frame"]
        self.next_sample = state["next_sample"]
        self._queue.restore(state["queue"], lambda item: (item[0], bytes.fromhex(item[1])))
        self.reader.restore(state["reader"])
        self.wakes = min(self.next_sample, self._queue.next_due)

    def _due_at_or_after(self, frame: int) -> int:
        """The first frame from `frame` on that is the first at or after a multiple of the period."""
        if self.frequency is None or self.frequency * self._step >= 1.0:
            return frame
        multiple = math.floor((frame - 1) * self._step * self.frequency)
        while (due := frame_at(multiple / self.frequency, self._step)) < frame:
            multiple += 1
        return due
