"""The small interface behind which a real robot is: readings in, commands out. `PortServer` makes it speak our wire.

class MyRobot:
    def readings(self):
        yield "Tilt", self.imu.pitch()

    def command(self, component, name, value):
        self.can_bus.write(component, value)

    def stop(self):
        self.can_bus.halt()

with PortServer(MyRobot(), "my_robot.xml", port=9041, record="run.mcap") as server:
    server.run()
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ubersim.description import RobotDescription, read_robot
from ubersim.errors import UberSimError
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.protocol.suggestion import suggestion
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot import CLIENT, Command


class RobotPort(Protocol):
    """A device with sensors and motors, which have the names of the robot's document."""

    def readings(self) -> Iterable[tuple[str, Any]]:
        """What sensors have measured since the last call: name and value, a number or an array in SI units."""

    def command(self, component: str, name: str, value: float) -> None:
        """Sets a property of a component, at once."""

    def stop(self) -> None:
        """Nothing commands it any more: it has to be safe now."""


class RobotTwin:
    """What a robot's document says of it: the form of its readings, the names and limits of its commands.

    It is kept as a robot in a simulation that stands still, so that both say the same of themselves.
    """

    def __init__(self, document: str | Path | RobotDescription, step: float) -> None:
        self.simulation = Simulation(step=step)
        self.robot = self.simulation.spawn(document)
        self._forms = introduction_of(self.robot)["sensors"]
        self._names = {
            component: {number: name for name, number in about.properties.items()}
            for component, about in self.robot.components.items()
        }

    def for_program(self, document: bytes) -> RobotTwin:
        """The same robot as a program wants it, whose document asks for a version of the protocol, sensors, frames."""
        asked, own = read_robot(document).settings, self.robot.description
        settings = replace(own.settings, protocol=asked.protocol, sensors=asked.sensors, timestamps=asked.timestamps)
        wanted = replace(own, settings=settings)
        for flaw in wanted.flaws():
            raise UberSimError(flaw.message)
        return RobotTwin(wanted, self.simulation.step_size)

    def close(self) -> None:
        """Frees the simulation."""
        self.simulation.close()

    def payload(self, sensor: str, value: Any, time: float) -> bytes:
        """A reading's bytes, from a value of the form that the document says."""
        if sensor not in self._forms:
            raise UberSimError(f"the robot has no sensor {sensor!r}; {suggestion(sensor, self._forms)}")
        form = self._forms[sensor]
        array = np.asarray(value, dtype=form["dtype"])
        shape = tuple(form["shape"])
        if array.ndim != len(shape) or any(size not in (-1, own) for size, own in zip(shape, array.shape, strict=True)):
            raise UberSimError(f"a reading of {sensor} has the shape {shape}, not {array.shape}")
        stamp = np.float64(time).tobytes() if form["stamped"] else b""
        return stamp + array.tobytes()

    def named(self, command: Command) -> tuple[str, str, float] | None:
        """A command as a device takes it: component, name of the property, value. None: it has no such form."""
        component, number, value = command
        if isinstance(value, bytes) or number == OWN_PAYLOAD or component == CLIENT:
            return None
        return component, self._names[component][number], value
