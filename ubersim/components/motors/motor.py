"""A motor in simulated time: its delay, then its controller. The controllers end in a clamp, see clamp.py."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from ubersim.components.commandable import Commandable, from_plain, to_plain
from ubersim.components.motors.controller import Controller
from ubersim.description.motors import ActuatorDescription
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.timing.delay_queue import DelayQueue
from ubersim.timing.latency import NEVER


class Motor(Commandable):
    """One motor of one robot."""

    description: ActuatorDescription

    def __init__(self, description: ActuatorDescription, controller: Controller, step: float, rng: Generator) -> None:
        super().__init__(description)
        self.controller = controller
        self._delay: DelayQueue[tuple[int, float | bytes]] = DelayQueue(description.latency, step, rng)

    def set(self, number: int, value: float, frame: int) -> None:
        """A command has reached the robot; from here it takes the motor's own latency."""
        self._delay.push((number, value), frame)

    def execute(self, payload: bytes, frame: int) -> None:
        """As `set`, for a payload."""
        self._delay.push((OWN_PAYLOAD, payload), frame)

    def drive(self, frame: int) -> bool:
        """Does what is to be done before the step of this frame; False: nothing more until the next command."""
        if frame >= self._delay.next_frame:
            for number, value in self._delay.pop_due(frame):
                if isinstance(value, bytes):
                    self.controller.execute(self.description.decoded(value), frame)
                else:
                    self.controller.set(number, value, frame)
        return self.controller.drive(frame) or self._delay.next_frame != NEVER

    @property
    def delay(self) -> DelayQueue[tuple[int, float | bytes]]:
        """Its commands, as long as its own latency takes."""
        return self._delay

    def introduction(self) -> dict[str, Any]:
        """What a client has to know to command it."""
        own: dict[str, Any] = {"payload": self.description.payload} if self.description.payload else {}
        idle = {"idle": list(self.controller.idle)} if self.controller.idle else {}
        return {"type": self.description.tag, "properties": self.properties} | own | idle

    def values(self) -> dict[str, float]:
        """What its properties are now, by name."""
        return {name: self.controller.value(number) for name, number in self.properties.items()}

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps besides the joints' properties, as plain data."""
        return {"delay": self._delay.state(to_plain), "controller": self.controller.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._delay.restore(state["delay"], from_plain)
        self.controller.restore(state["controller"])
