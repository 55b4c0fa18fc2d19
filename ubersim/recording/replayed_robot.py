"""A robot as a log remembers it: commands go through its delays, and then nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ubersim.components.commandable import Command, command_from_plain, component_of, payload_size
from ubersim.description import read_robot
from ubersim.description.materials_file import read_materials
from ubersim.protocol.messages import OWN_PAYLOAD, payload_messages
from ubersim.recording.damage import damage
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log
from ubersim.simulation.parameters import RobotParameters
from ubersim.simulation.robot import CLIENT
from ubersim.timing.lockstep import CommandSchedule


class ReplayedRobot:
    """What a client's session needs of a robot."""

    def __init__(self, log: Log, joined: RecordedEvent) -> None:
        self.name = joined.robot
        self.readings: Sequence[tuple[str, bytes]] = ()
        self.parameters = RobotParameters()
        self._joined = joined
        with damage(log.path, f"the robot {joined.robot}"):
            latency = read_robot(joined.document, materials=read_materials(log.materials)).settings.latency
            rng = latency.generator(log.seed, joined.robot, CLIENT)  # the same draws as then
            self.commands: CommandSchedule[Command] = CommandSchedule(
                latency, log.step, rng, first_frame=joined.frame, size=payload_size, component=component_of
            )
            for state in log.start.robots if joined.frame == log.first else ():
                if state["identity"]["name"] == joined.robot:  # it was there before, with commands under way
                    self.restore(state["commands"])

    def settable(self) -> dict[str, frozenset[int]]:
        """What commands may name: the components, and the numbers of their properties."""
        own = {name: frozenset([OWN_PAYLOAD]) for name in self._joined.payloads}
        own |= payload_messages(self._joined.introduction.get("protocol", 1))
        properties = (self._joined.properties | {name: {} for name in own.keys() - self._joined.properties}).items()
        return {name: frozenset(numbers.values()) | own.get(name, frozenset()) for name, numbers in properties}

    def check(self, target: tuple[str, int], value: float | bytes) -> None:
        """No value is refused: the joints, motors and sensors that could tell are not here."""

    def ignore_sensors(self) -> None:
        """It has none: readings are those of the log."""

    def identity(self) -> dict[str, str]:
        """What makes it the same robot, for snapshots."""
        return {"name": self.name, "document": self._joined.document}

    def restore(self, commands: dict[str, Any]) -> None:
        """The delays go on from there."""
        self.commands.restore(commands, command_from_plain)
