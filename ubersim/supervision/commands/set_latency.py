"""`Latency`: a robot's commands, or the readings of one of its sensors, take another time from now on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.description.loading import read_latency
from ubersim.errors import UberSimError
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext
from ubersim.timing.latency import Latency


@dataclass(frozen=True, kw_only=True)
class SetLatency(SupervisorCommand, verb="Latency"):
    """Changes a robot's latency: of the commands that are stamped after the next frame, or of a sensor at once."""

    effect: ClassVar[Effect] = Effect.NOTED
    robot: str
    """Its name."""
    milliseconds: float | None = None
    """The new one; constant, whatever model there was [ms]."""
    model: str | None = None
    """Or the new model, as in a document: `<Latency model="uniform"><Min>10</Min><Max>30</Max></Latency>`."""
    sensor: str | None = None
    """The sensor whose readings are meant; without it, the robot's commands."""

    @property
    def latency(self) -> Latency:
        """The new one."""
        if (self.milliseconds is None) == (self.model is None):
            raise UberSimError("Latency takes either milliseconds or a model")
        return read_latency(self.model) if self.model is not None else self.milliseconds or 0.0

    def execute(self, context: CommandContext) -> None:
        robot = context.robot(self.robot)
        if self.sensor:
            robot.set_latency(self.latency, self.sensor)
        else:
            # A client may have acknowledged the frame that is under way, but not the next one.
            robot.commands.change_latency(context.simulation.frame + 1, self.latency)
