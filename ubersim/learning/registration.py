"""The ids of environments that come along: `gymnasium.make("UberSim/SegwayBalance-v0")`."""

from __future__ import annotations

import gymnasium

TASKS = {
    "SegwayBalance-v0": "segway:SegwayBalance",
    "SegwayDrive-v0": "segway:SegwayDrive",
    "AiboWalk-v0": "aibo:AiboWalk",
    "CarEight-v0": "car:CarEight",
    "OmniGoTo-v0": "omni:OmniGoTo",
    "PioneerWall-v0": "pioneer:PioneerWall",
    "BallInterceptVision-v0": "ball:BallIntercept",
    "Striker-v0": "striker:Striker",
}
"""Each with the module of `ubersim.learning.tasks` and the class that has its task."""


def register() -> None:
    """Makes the ids known; those that are already stay as they are."""
    for name, task in TASKS.items():
        if (full := f"UberSim/{name}") not in gymnasium.registry:
            gymnasium.register(
                full,
                entry_point="ubersim.learning.environment:UberSimEnv",
                vector_entry_point="ubersim.learning.vector:ThreadVectorEnv",
                kwargs={"task": f"ubersim.learning.tasks.{task}"},
            )
