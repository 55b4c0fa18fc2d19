"""`Scene`: what there is to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ubersim.protocol.to_json import to_json
from ubersim.simulation.robot_info import present, robot_info
from ubersim.simulation.scene import scene_of, solid_names
from ubersim.supervision.command import Effect, Reply, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True)
class SceneReply(Reply):
    """All that a viewer needs, but for the poses."""

    scene: dict[str, Any]
    """Shapes with the rows of their bodies, ground, sky, lights, and what robots are made of.

    `solids` has the names of the static ones, by the `object_id` of their shapes.
    Also `failed_solves`: how often so far the direct solver found no solution; and in a server `rate`: times real time;
    `log`, if it is one that is replayed: its first and last frame.
    """


@dataclass(frozen=True, kw_only=True)
class DescribeScene(SupervisorCommand, verb="Scene"):
    """Tells what there is to see, as plain values."""

    effect: ClassVar[Effect] = Effect.NONE
    robot: str | None = None
    """How this one is set now, among the `robots`, and nothing else."""

    def execute(self, context: CommandContext) -> SceneReply:
        if self.robot is not None:
            return SceneReply({"robots": {self.robot: present(context.robot(self.robot))}})
        simulation = context.simulation
        parts: dict[str, Any] = {"robots": robot_info(simulation), "failed_solves": simulation.world.failed_solves}
        parts["solids"] = solid_names(simulation)
        if context.served is not None:
            parts["rate"] = context.served.clock.rate()
            if (timeline := context.served.timeline) is not None:
                parts["log"] = [timeline.first, timeline.last]
        return SceneReply(to_json(scene_of(simulation)) | parts)
