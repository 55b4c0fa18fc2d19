"""`Truth`: a picture of everything, now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ubersim.supervision.arguments import Longest
from ubersim.supervision.command import Effect, Reply, SupervisorCommand
from ubersim.supervision.context import CommandContext
from ubersim.supervision.ground_truth import MOST_SENSORS, PictureContent


@dataclass(frozen=True)
class TruthReply(Reply):
    """What came before the answer."""

    picture: bool
    """Whether it was a picture: the last one before this answer is the one that was asked for."""


@dataclass(frozen=True, kw_only=True)
class ShowTruth(SupervisorCommand, verb="Truth"):
    """Sends a picture of everything as it is now."""

    effect: ClassVar[Effect] = Effect.NONE
    sensors: Annotated[tuple[str, ...], Longest(MOST_SENSORS)] = ()
    """`Robot/Sensor`: whose newest readings are added."""
    contacts: bool = False
    """Whether the contacts are added."""

    def execute(self, context: CommandContext) -> TruthReply:
        server, content = context.server, PictureContent(self.sensors, self.contacts)
        server.truth.check(content)
        server.asker.show(server.truth.picture(content, standing=server.clock.stands_still))
        return TruthReply(picture=True)
