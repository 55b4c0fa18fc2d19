"""A run whose program is a Python function of the same process.

The function is a generator: it gets the robot and the parameters, by name, and yields how long it waits [s]:

    def balance(robot, kp=200.0, kd=40.0):
        balancer = Balancer(kp, kd)
        while True:
            speed = balancer.update(robot.read("Tilt"))
            robot.set("LMotor", "Vel", speed)
            robot.set("RMotor", "Vel", speed)
            yield 0.01
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from ubersim.components.commandable import single
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.sweeps.parameters import Value
from ubersim.timing.latency import frame_at, frames_in


class ControlledRobot:
    """What a program of the same process may do, with the time that it takes to think."""

    def __init__(self, simulation: Simulation, robot: Robot, think: float = 0.0) -> None:
        """`think`: from a reading to the command that it leads to [ms]."""
        self.simulation = simulation
        self.robot = robot
        self._think = frames_in(think, simulation.step_size)

    @property
    def time(self) -> float:
        """[s]"""
        return self.simulation.time

    def read(self, sensor: str) -> float | NDArray[Any] | None:
        """The newest reading; None before the first."""
        return self.robot.read(sensor)

    def command(self, component: str, name: str | int, value: float) -> None:
        """Sets a property, once it has been thought about and the robot's latency is over."""
        self.robot.command(component, name, value, frame=self._stamp())

    def set(self, component: str, name: str | int, value: float) -> None:
        """`command` in single precision, as on the wire."""
        self.command(component, name, single(value))

    def send(self, component: str, payload: bytes) -> None:
        """The same with a payload of the component's own."""
        self.robot.send(component, payload, frame=self._stamp())

    def _stamp(self) -> int | None:
        return self.simulation.frame + self._think if self._think else None


Program = Callable[..., Iterator[float]]


def arguments_for(program: Program, parameters: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters that a program has names for; it has to have all that nothing else knows."""
    known = inspect.signature(program).parameters
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values()):
        return dict(parameters)
    unknown = [name for name in parameters if name not in known]
    if unknown:
        names = ", ".join(list(known)[1:]) or "none"
        raise UberSimError(f"{getattr(program, '__name__', program)} has no parameter {unknown[0]!r}; it has {names}")
    return dict(parameters)


def drive(simulation: Simulation, program: Iterator[float], frames: int) -> None:
    """Lets the program act whenever it wants to, until the time is over or it ends; then the robot is on its own."""
    while simulation.frame < frames:
        wait = next(program, None)
        pause = frames if wait is None else max(1, frame_at(float(wait), simulation.step_size))
        simulation.step(min(pause, frames - simulation.frame))
