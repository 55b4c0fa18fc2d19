"""`Watch`: pictures of everything, again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ubersim.errors import UberSimError
from ubersim.supervision.arguments import Longest, Range
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext
from ubersim.supervision.ground_truth import MOST_SENSORS, PictureContent
from ubersim.supervision.subscription import Subscription

RAREST = 10**9
"""Frames from one picture to the next."""
FASTEST = 1000.0
"""Pictures per second of real time."""


@dataclass(frozen=True, kw_only=True)
class Watch(SupervisorCommand):
    """Sends pictures from now on, in place of what was watched before; without `every` and `hertz`, no more."""

    effect: ClassVar[Effect] = Effect.NONE
    every: Annotated[int, Range(0, RAREST)] = 0
    """Frames from one picture to the next."""
    hertz: Annotated[float, Range(0.0, FASTEST)] = 0.0
    """Pictures per second of real time, if anything has changed."""
    sensors: Annotated[tuple[str, ...], Longest(MOST_SENSORS)] = ()
    """`Robot/Sensor`: whose newest readings are added."""
    contacts: bool = False
    """Whether the contacts are added."""
    forces: str = ""
    """A robot or an object of the world: the forces of the contacts of its bodies are added."""
    pushes: bool = False
    """Whether the forces that supervisors let act are added."""
    commands: Annotated[tuple[str, ...], Longest(MOST_SENSORS)] = ()
    """`Robot/Component`: whose commands are added, those executed of late and those under way."""
    drawings: bool = False
    """Whether what clients draw is added."""
    logs: bool = False
    """Whether what programs log is added."""

    def execute(self, context: CommandContext) -> None:
        if self.every and self.hertz:
            raise UberSimError("Watch: every is for simulated time, hertz for real time; one of them")
        content = PictureContent(self.sensors, self.contacts, self.forces, self.pushes, self.commands)
        context.server.truth.check(content)
        context.server.asker.subscribe(self._subscription(content, context.simulation.frame))

    def _subscription(self, content: PictureContent, now: int) -> Subscription | None:
        if not self.every and not self.hertz:
            return None
        return Subscription(
            content, now=now, every=self.every, hertz=self.hertz, drawings=self.drawings, logs=self.logs
        )
