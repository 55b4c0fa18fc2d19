"""A picture of the truth, between the events that it is made of and the bytes or the arrays that it becomes."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ubersim.errors import RemoteProtocolError
from ubersim.geometry import Array
from ubersim.protocol.events import FrameEnd, Timestamp
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.supervisor_events import (
    CapturedReading,
    ComponentCommands,
    ContactForces,
    ContactPoints,
    Legend,
    PictureEvent,
    PictureExtra,
    Pushes,
    Truth,
)
from ubersim.protocol.supervisor_messages import encode_to_supervisor

_END = encode_to_supervisor(FrameEnd())
_LEVEL = struct.Struct("<I")


@dataclass(frozen=True)
class EncodedPicture:
    """A picture ready to be sent, to supervisors of which some may have its legend already."""

    legend_number: int
    opening: bytes
    """`Timestamp`."""
    legend: bytes
    """Comes next for those who do not have this legend yet."""
    content: bytes
    """All the rest, to `FrameEnd`."""

    @staticmethod
    def of(time: float, legend: EncodedLegend, content: Iterable[PictureEvent]) -> EncodedPicture:
        """From its events between `Timestamp` and `FrameEnd`."""
        encoded = [encode_to_supervisor(event) for event in content]
        opening = encode_to_supervisor(Timestamp(time))
        return EncodedPicture(legend.number, opening, legend.data, b"".join([*encoded, _END]))


@dataclass(frozen=True)
class EncodedLegend:
    """A legend's bytes, which many pictures share."""

    number: int
    data: bytes

    @staticmethod
    def of(legend: Legend) -> EncodedLegend:
        """From its event."""
        return EncodedLegend(legend.number, encode_to_supervisor(legend))


class PictureReader:
    """Puts pictures together from the events of one connection."""

    def __init__(self) -> None:
        self._time: float | None = None
        self._legend: dict[str, Any] = {"number": -1}
        self._truth: Truth | None = None
        self._more: list[PictureExtra] = []

    def read(self, event: PictureEvent) -> GroundTruth | None:
        """Takes the next event; the picture, if it is complete with it."""
        match event:
            case Timestamp(time):
                self._time, self._truth = time, None
                self._more.clear()
            case Legend():
                self._legend = event.to_json()
            case Truth():
                self._truth = event
            case FrameEnd():
                return self._complete()
            case _:
                self._more.append(event)
        return None

    def _complete(self) -> GroundTruth:
        time, truth = self._time, self._truth
        if time is None or truth is None or truth.legend != self._legend["number"]:
            raise RemoteProtocolError("a picture lacks its time, its truth, or the legend of that")
        self._time = None
        readings: dict[str, Any] = {}
        contacts: Array | None = None
        forces: Array | None = None
        pushes: Array | None = None
        for event in self._more:
            match event:
                case ContactPoints(positions, normals, depths):
                    contacts = np.hstack([positions, normals, depths[:, None]])
                case ContactForces(rows):
                    forces = rows
                case Pushes(rows):
                    pushes = rows
                case CapturedReading(name):
                    readings[name] = self._value(event)
        return GroundTruth(
            time=time,
            frame=truth.frame,
            standing=truth.standing,
            legend=self._legend,
            positions=truth.positions,
            quaternions=truth.quaternions,
            linear=truth.linear,
            angular=truth.angular,
            joint_positions=truth.joint_positions,
            joint_rates=truth.joint_rates,
            readings=readings,
            captured={event.name: event.captured for event in self._more if isinstance(event, CapturedReading)},
            forces=forces,
            contacts=contacts,
            pushes=pushes,
            commands={event.name: event.rows for event in self._more if isinstance(event, ComponentCommands)},
        )

    def _value(self, reading: CapturedReading) -> Any:
        robot, _, sensor = reading.name.partition("/")
        try:
            about = self._legend["robots"][robot]["sensors"][sensor]
            form, start = about, 0
            if "levels" in about:  # the reading itself says what it is
                form, start = about["levels"][str(_LEVEL.unpack_from(reading.payload)[0])], _LEVEL.size
            values = np.frombuffer(reading.payload, form["dtype"], offset=start).reshape(form["shape"])
        except (KeyError, TypeError, ValueError, struct.error) as error:
            raise RemoteProtocolError(f"a reading of {reading.name} is not as the legend says: {error!r}") from None
        return float(values) if values.ndim == 0 else values
