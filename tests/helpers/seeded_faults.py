"""Runs of a small car that differ from each other by one fault whose cause is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.helpers.recording_robots import WORLD, car
from ubersim.description import default_materials
from ubersim.recording import Recorder
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions

FAULT = 400
"""The frame in which a fault happens, unless it is there from the beginning."""
CONSTANT = "<Latency>5</Latency>"
UNIFORM = '<Latency model="uniform"><Min>2</Min><Max>9</Max></Latency>'
LOSSY = '<Latency model="constant"><Value>5</Value><Loss>0.2</Loss></Latency>'


@dataclass
class Scenario:
    """What a run is made from, and what happens in it; faults change one thing."""

    document: str = ""
    world: str = WORLD
    materials: str = ""
    seed: int = 3
    step: float = 0.001
    frames: int = 1000
    position: tuple[float, float, float] = (0.0, 0.0, 0.01)
    closed: bool = True
    """Whether the car drives by what it reads."""
    command: Callable[[int, float], float | None] = lambda frame, speed: speed
    """What the program makes of the speed that it would send; None: nothing."""
    late: int = -1
    """In this frame it sends a frame later."""
    at_fault: Callable[[Simulation], object] = lambda simulation: None

    def record(self, path: Path) -> None:
        """Runs it."""
        world = path.with_suffix(".xml")
        world.write_text(self.world)
        materials = path.with_suffix(".yaml")
        materials.write_text(self.materials or default_materials().source_text)
        with Simulation(world, seed=self.seed, step=self.step, materials=materials) as simulation:
            simulation.spawn(self.document or quiet(), name="Car", position=self.position)
            with Recorder(simulation, path):
                self._run(simulation)

    def _run(self, simulation: Simulation) -> None:
        while simulation.frame < self.frames:
            if simulation.frame == FAULT:
                self.at_fault(simulation)
            self._control(simulation)
            simulation.step(4)

    def _control(self, simulation: Simulation) -> None:
        if (robot := simulation.robots.get("Car")) is None:
            return
        reading, frame = robot.read("Tilt"), simulation.frame
        swerve = reading if self.closed and isinstance(reading, float) else 0.0
        when = frame + 1 if frame == self.late else None
        for motor, speed in (("LMotor", 4.0 + 20 * swerve + frame / 1000), ("RMotor", 5.0 - 20 * swerve)):
            wanted = self.command(frame, speed) if motor == "LMotor" else speed
            if wanted is not None:
                robot.command(motor, "Vel", wanted, frame=when)


def quiet(latency: str = CONSTANT) -> str:
    """The car without noise, with constant latency unless another is wanted."""
    return car(latency).replace("<Noise>0.5</Noise>", "")


def intervene(verb: str, **arguments: object) -> Callable[[Simulation], object]:
    """A supervisor's command."""
    return lambda simulation: Interventions(simulation).execute(verb, arguments)


def nudge(simulation: Simulation) -> None:
    """Behind the simulation's back."""
    body = simulation.robots["Car"].bodies["LWheel"]
    body.set_state(body.position + np.array([1e-9, 0, 0]), body.quaternion, body.linear_velocity, body.angular_velocity)


def pull(simulation: Simulation) -> None:
    """A force that no log knows of."""
    simulation.objects["Ball"].add_force(np.array([0.1, 0.0, 0.0]))


def go_back(simulation: Simulation) -> None:
    """A restore of what has just been kept: the same state, but an intervention."""
    simulation.restore(simulation.snapshot())
