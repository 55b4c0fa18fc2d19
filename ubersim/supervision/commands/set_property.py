"""`Set`: a property of a component is set, over the head of the robot's client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.errors import UberSimError
from ubersim.protocol.names import CLIENT
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class Set(SupervisorCommand):
    """Sets a property of a joint, motor or sensor at once, without the robot's latency."""

    effect: ClassVar[Effect] = Effect.NOTED
    robot: str
    """Its name."""
    component: str
    """The joint, motor or sensor."""
    property_: str | int
    """Name or number, as in a client's commands."""
    value: float
    """As in a client's commands."""

    def execute(self, context: CommandContext) -> None:
        robot = context.robot(self.robot)
        if self.component == CLIENT:
            raise UberSimError("Set is for joints, motors and sensors; a robot's latency is changed with Latency")
        target = robot.numbered(self.component, self.property_)
        robot.check(target, self.value)
        command = (*target, self.value)
        robot.obey(command, context.simulation.frame)
        for observer in context.simulation.observers:
            observer.executed(robot, [command])
