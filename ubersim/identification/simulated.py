"""A robot that is told what a log says its original was told; what its sensor says then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ubersim.description import BodyDescription, RobotDescription, default_materials, read_robot
from ubersim.description.base import Primitive, SensorDescription
from ubersim.description.editing import with_numbers
from ubersim.errors import UberSimError
from ubersim.signals import Signal
from ubersim.signals.signal import Array
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot
from ubersim.sweeps.guard import guarded

LATENCY = "CSettings/Latency"
"""Where the robot's actuation latency is in its document [ms]."""
_LIMIT = 600.0


@dataclass(frozen=True)
class Rehearsal:
    """The model, and what it is told; it travels to where it is run."""

    document: str
    component: str
    name: str
    """What the commands set: a property of a component."""
    sensor: str
    column: int
    """Which number of the reading is the response."""
    times: Array
    """Of the commands, from the beginning of the log [s]."""
    values: Array
    seconds: float
    step: float

    @staticmethod
    def of(document: str, drives: str, reads: str, command: Signal, response: Signal, step: float) -> Rehearsal:
        """`drives` is `Component/Property`, `reads` is `Sensor` or `Sensor.column`."""
        component, slash, name = drives.partition("/")
        sensor, _, column = reads.partition(".")
        if not slash or not (column or "0").isdigit():
            raise UberSimError(
                f"the model is driven by Component/Property and read by Sensor.column, not {drives}, {reads}"
            )
        begin = float(command.times[0])
        seconds = float(response.times[-1]) - begin
        return Rehearsal(
            document, component, name, sensor, int(column or 0), command.times - begin, command.values, seconds, step
        )


class _Readings(Observer):
    """Keeps what one sensor delivers."""

    def __init__(self, simulation: Simulation, sensor: str, column: int) -> None:
        self._simulation, self._sensor, self._column = simulation, sensor, column
        self.rows: list[tuple[float, float]] = []

    def sensed(self, robot: Robot) -> None:
        if any(name == self._sensor for name, _ in robot.readings):
            value = np.atleast_1d(np.asarray(robot.read(self._sensor), dtype=np.float64))
            self.rows.append((self._simulation.time, float(value[self._column])))


def _without_chance(robot: RobotDescription) -> RobotDescription:
    """With sensors that add no noise: it explains nothing, and under equal seeds it would be the log's own."""

    def exact(part: Primitive) -> Primitive:
        if not isinstance(part, SensorDescription):
            return part
        drawn = (field.name for field in fields(part) if field.name.rpartition("_")[2] in ("noise", "bias", "error"))
        exactly: dict[str, Any] = dict.fromkeys(drawn, 0.0)
        return replace(part, **exactly)

    def measured_exactly(body: BodyDescription) -> BodyDescription:
        return replace(body, primitives=tuple(exact(part) for part in body.primitives))

    bodies = tuple(measured_exactly(body) for body in robot.entity.rigid_bodies)
    return replace(robot, entity=replace(robot.entity, rigid_bodies=bodies))


def rehearse_elsewhere(rehearsal: Rehearsal, numbers: Mapping[str, float]) -> Array:
    """In a process of its own, as executors are given it."""
    found: Array = guarded(rehearse, rehearsal, dict(numbers), limit=_LIMIT)
    return found


def rehearse(rehearsal: Rehearsal, numbers: Mapping[str, float]) -> Array:
    """Times [s] and readings, shape (readings, 2), of the model with other numbers."""
    document = with_numbers(rehearsal.document, numbers, "the model")
    with Simulation(step=rehearsal.step) as simulation:
        robot = simulation.spawn(_without_chance(read_robot(document, materials=default_materials())))
        if rehearsal.sensor not in robot.sensors:
            raise UberSimError(f"the model has no sensor {rehearsal.sensor!r}; it has {', '.join(robot.sensors)}")
        readings = _Readings(simulation, rehearsal.sensor, rehearsal.column)
        simulation.observers.append(readings)
        for time, value in zip(rehearsal.times.tolist(), rehearsal.values.tolist(), strict=True):
            simulation.step(max(0, round(time / rehearsal.step) - simulation.frame))
            robot.command(rehearsal.component, rehearsal.name, value)
        simulation.step(max(0, round(rehearsal.seconds / rehearsal.step) - simulation.frame))
    return np.array(readings.rows).reshape(-1, 2)
