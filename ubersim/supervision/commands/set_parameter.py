"""`SetParameter`: a parameter that a robot's program has declared gets another value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class SetParameter(SupervisorCommand):
    """Tells a robot's program that one of its parameters has another value, with the frame after this one."""

    effect: ClassVar[Effect] = Effect.NOTED
    settled: ClassVar[bool] = True  # or it would depend on the program's speed whether it has declared it by now
    robot: str
    """Its name."""
    name: str
    """The parameter's, as the program has declared it."""
    value: bool | float | str
    """What it shall be, within what was declared."""

    def execute(self, context: CommandContext) -> None:
        context.robot(self.robot).parameters.change(self.name, self.value)
