"""Trials of controllers that are Python functions: everything in this process, no sockets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ubersim.description import RobotDescription, read_robot
from ubersim.importers import load_robot
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.supervision import Interventions
from ubersim.testing.trial import Trial
from ubersim.timing.latency import Constant, frame_at

__tracebackhide__ = True  # as in trial.py


class InProcessTrial(Trial):
    """A simulation whose robots are driven by functions of the test's."""

    def __init__(self, simulation: Simulation, latency: float | None = None) -> None:
        super().__init__(simulation)
        self._latency = latency
        self._interventions = Interventions(simulation)
        self._controllers: list[tuple[int, Callable[[], object]]] = []

    def spawn(self, robot: str | Path | RobotDescription, **options: Any) -> Robot:
        """`Simulation.spawn`, with the latency that the test is parametrised with, if it is."""
        if not isinstance(robot, RobotDescription):
            materials = self.simulation.materials
            text = isinstance(robot, str) and robot.lstrip().startswith("<")
            read: Callable[..., RobotDescription] = read_robot if text else load_robot
            robot = read(robot, materials=materials, seed=self.simulation.seed)
        if self._latency is not None:
            robot = replace(robot, settings=replace(robot.settings, latency=Constant(self._latency)))
        return self.simulation.spawn(robot, **options)

    def every(self, seconds: float, controller: Callable[[], object]) -> None:
        """Calls a function again and again, at every multiple of that simulated time, from now on."""
        self._controllers.append((max(1, frame_at(seconds, self.simulation.step_size)), controller))

    def intervene(self, verb: str, **arguments: Any) -> None:
        self._interventions.execute(verb, arguments)

    def _advance(self, frames: int) -> None:
        end = self.simulation.frame + frames
        while (frame := self.simulation.frame) < end:
            for period, controller in self._controllers:
                if frame % period == 0:
                    controller()
            stops = [frame - frame % period + period for period, _ in self._controllers]
            self.simulation.step(min([end, *stops]) - frame)

    def close(self) -> None:
        self.simulation.close()
