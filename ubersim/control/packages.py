"""What modules exchange: plain dataclasses. Some come from the robot's sensors, some go to its motors.

class Scan(SensorReading, sensor="Lidar"):
    \"\"\"What the lidar measured.\"\"\"

@dataclass(frozen=True)
class Heading:                                    # between modules: any dataclass
    angle: float

@dataclass(frozen=True)
class Wheels(Commands):
    left: Annotated[float, Sets("LMotor", "Vel")]
    right: Annotated[float, Sets("RMotor", "Vel")]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, TypeVar, get_type_hints

from ubersim.errors import UberSimError
from ubersim.protocol.frames import Frame

T = TypeVar("T")


class _LastMark:
    """Marks an input that is from the cycle before."""


LAST = _LastMark()
Last = Annotated[T | None, LAST]
"""`Last[Heading]`: the newest of the cycles before this one, or None; so circles of modules can be closed."""


@dataclass(frozen=True)
class Tick:
    """A frame has come: a module that takes it runs in every frame."""

    time: float
    """Of the frame [s]."""
    step: float
    """Length of a frame [s]."""


@dataclass(frozen=True, eq=False)
class SensorReading:
    """A reading as modules see it; its subclasses name the sensor."""

    sensor: ClassVar[str] = ""
    """Its name in the robot's document."""

    value: Any
    """As in a frame: a number or an array."""
    time: float
    """Of the frame that it came with [s]."""
    captured: float | None = None
    """When it was captured [s], if the sensor is `Stamped`."""

    def __init_subclass__(cls, sensor: str = "") -> None:
        cls.sensor = sensor or cls.sensor


@dataclass(frozen=True)
class Sets:
    """What a field of commands sets."""

    component: str
    name: str | int


@dataclass(frozen=True)
class Commands:
    """What goes to the robot: each field is annotated with what it sets; None leaves it as it is."""

    def settings(self) -> Iterator[tuple[str, str | int, float]]:
        """Component, property and value of each field that has one."""
        for field, target in _targets(type(self)):
            value = getattr(self, field)
            if value is not None:
                yield target.component, target.name, float(value)


_known: dict[type[Commands], tuple[tuple[str, Sets], ...]] = {}


def _targets(commands: type[Commands]) -> tuple[tuple[str, Sets], ...]:
    if commands in _known:
        return _known[commands]
    hints = get_type_hints(commands, include_extras=True)
    found = []
    for field in fields(commands):
        targets = [mark for mark in getattr(hints[field.name], "__metadata__", ()) if isinstance(mark, Sets)]
        if len(targets) != 1:
            raise UberSimError(
                f"{commands.__name__}.{field.name} does not say what it sets: "
                f'Annotated[float, Sets("LMotor", "Vel")] does'
            )
        found.append((field.name, targets[0]))
    _known[commands] = tuple(found)
    return _known[commands]


def readings_of(frame: Frame, wanted: dict[str, type[SensorReading]]) -> Iterator[SensorReading]:
    """The wanted readings of a frame, as packages."""
    for sensor, package in wanted.items():
        if sensor in frame:
            yield package(frame[sensor], frame.time, frame.captured.get(sensor))
