"""What a supervisor sets, over the heads of the clients; and marks that it leaves in the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ubersim.errors import UberSimError
from ubersim.simulation.robot import CLIENT, Robot
from ubersim.supervision.command import SupervisorCommand

if TYPE_CHECKING:
    from ubersim.supervision.interventions import Interventions


@dataclass(frozen=True, kw_only=True)
class Set(SupervisorCommand):
    """Sets a property of a joint, motor or sensor at once, without the robot's latency."""

    robot: str
    """Its name."""
    component: str
    """The joint, motor or sensor."""
    property: str | int
    """Name or number, as in a client's commands."""
    value: float
    """As in a client's commands."""

    def do(self, to: Interventions) -> dict[str, Any]:
        robot = _robot(to, self.robot)
        if self.component == CLIENT:
            raise UberSimError("Set is for joints, motors and sensors; a robot's latency is changed with Latency")
        command = robot.numbered(self.component, self.property), self.value
        robot.check(*command)
        deed = (*command[0], self.value)
        robot.obey(deed, to.simulation.frame)
        for observer in to.simulation.observers:
            observer.executed(robot, [deed])
        return {}


@dataclass(frozen=True, kw_only=True)
class SetLatency(SupervisorCommand, verb="Latency"):
    """Changes a robot's actuation latency: of the commands that are stamped after the next frame."""

    robot: str
    """Its name."""
    milliseconds: float
    """The new one; constant, whatever model there was [ms]."""

    def do(self, to: Interventions) -> dict[str, Any]:
        # A client may have acknowledged the frame that is under way, but not the next one.
        _robot(to, self.robot).commands.change_latency(to.simulation.frame + 1, self.milliseconds)
        return {}


@dataclass(frozen=True, kw_only=True)
class Event(SupervisorCommand):
    """Gives this frame a name, for the log; it changes nothing."""

    label: str
    """The name."""

    def do(self, to: Interventions) -> dict[str, Any]:
        if len(self.label) > 1000:
            raise UberSimError("Event: a label has up to 1000 characters")
        to.simulation.mark(self.label)
        return {}


def _robot(to: Interventions, name: str) -> Robot:
    robots = to.simulation.robots
    if name not in robots:
        raise UberSimError(f"there is no robot {name!r}; there are {', '.join(robots) or 'none'}")
    return robots[name]
