"""A program's robot in a simulation of its own, in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.timing.think_time import Think


class SimulatedRobot(LocalRobot):
    """Ends its simulation with itself."""

    def close(self) -> None:
        """The program is done, and so is its world."""
        super().close()
        self.simulation.close()


def simulated_robot(
    world: str | Path | None,
    robot: str | Path,
    *,
    step: float | None = None,
    seed: int = 0,
    think: Think = 0.0,
    hz: float | None = None,
    overlap: bool = False,
    **spawning: Any,
) -> SimulatedRobot:
    """A robot in a world file, or on an empty ground; `spawning` has the options of `Simulation.spawn`."""
    simulation = Simulation(world, step=step, seed=seed)
    try:
        found = simulation.spawn(robot, **spawning)
        return SimulatedRobot(simulation, found, think=think, hz=hz, overlap=overlap, seed=seed)
    except BaseException:
        simulation.close()
        raise
