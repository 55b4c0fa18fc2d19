"""What metrics look at: where the robot was, and what its sensors said."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot

PERIOD = 0.01
"""Simulated time between two samples of the motion [s]."""

Array = NDArray[np.float64]


class RunHistory(Observer):
    """One robot, its first body above all, in a run from its beginning to its end."""

    def __init__(self, simulation: Simulation, robot: Robot) -> None:
        self.simulation = simulation
        self.robot = robot
        self._body = next(iter(robot.bodies.values()))
        self._every = max(1, round(PERIOD / simulation.step_size))
        self._rows: list[tuple[float, ...]] = []
        self._readings: dict[str, list[tuple[float, float]]] = {}
        self.begun(simulation.frame)

    def begun(self, frame: int) -> None:
        self._rows.append((self.simulation.time, *self._body.position.tolist(), float(self._body.rotation[2, 2])))
        self.next_frame = frame + self._every

    def sensed(self, robot: Robot) -> None:
        if robot is self.robot:
            for name, _ in robot.readings:
                if name in self._readings and isinstance(value := robot.read(name), float):
                    self._readings[name].append((self.simulation.time, value))

    def watch(self, sensor: str) -> None:
        """From now on its readings are kept."""
        if sensor not in self.robot.sensors:
            raise UberSimError(f"{self.robot.name} has no sensor {sensor!r}; it has {', '.join(self.robot.sensors)}")
        self._readings.setdefault(sensor, [])

    @property
    def times(self) -> Array:
        """Of the samples of the motion [s]."""
        return np.array([row[0] for row in self._rows])

    @property
    def positions(self) -> Array:
        """Of the first body's centre of mass [m], shape (samples, 3)."""
        return np.array([row[1:4] for row in self._rows])

    @property
    def tilts(self) -> Array:
        """Between the body's up axis and the world's [degrees]."""
        return np.array([math.degrees(math.acos(min(1.0, max(-1.0, row[4])))) for row in self._rows])

    def readings(self, sensor: str) -> Array:
        """Times and values of a sensor that is watched, shape (readings, 2)."""
        return np.array(self._readings[sensor]).reshape(-1, 2)
