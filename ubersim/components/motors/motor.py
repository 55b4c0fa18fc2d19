"""A motor in simulated time: its delay, then its controller. The controllers end in a clamp, see clamp.py."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from ubersim.components.motors.controller import Controller
from ubersim.description.motors import ActuatorDescription
from ubersim.errors import RemoteProtocolError
from ubersim.timing.latency import NEVER, DelayQueue


class Motor:
    """One motor of one robot."""

    def __init__(self, description: ActuatorDescription, controller: Controller, step: float, rng: Generator) -> None:
        self.description = description
        self.name = description.name
        self.controller = controller
        self.properties = description.properties()
        """Names and numbers of what can be set at run time."""
        self._names = {number: name for name, number in self.properties.items()}
        self._limits = description.limits()
        self._delay: DelayQueue[tuple[int, float]] = DelayQueue(description.latency, step, rng)

    def check(self, property: int, value: float) -> None:
        """Refuses a value that a property cannot have."""
        low, high = self._limits[property]
        if not low <= value <= high:
            name = f"{self._names[property]} of {self.name!r}"
            raise RemoteProtocolError(f"{name} takes {low:g} to {high:g}, not {value:g}")

    def set(self, property: int, value: float, frame: int) -> None:
        """A command has reached the robot; from here it takes the motor's own latency."""
        self._delay.push((property, value), frame)

    def drive(self, frame: int) -> bool:
        """Does what is to be done before the step of this frame; False: nothing more until the next command."""
        if frame >= self._delay.next_due:
            for property, value in self._delay.pop_due(frame):
                self.controller.set(property, value, frame)
        return self.controller.drive(frame) or self._delay.next_due != NEVER

    def values(self) -> dict[str, float]:
        """What its properties are now, by name."""
        return {name: self.controller.value(number) for name, number in self.properties.items()}

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps besides the joints' properties, as plain data."""
        return {"delay": self._delay.state(list), "controller": self.controller.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._delay.restore(state["delay"], lambda plain: (plain[0], plain[1]))
        self.controller.restore(state["controller"])
