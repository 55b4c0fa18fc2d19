"""Robots' documents are read here, in the handshakes' thread, with all about them that takes long."""

from __future__ import annotations

from ubersim.components.sensors.camera import Optics
from ubersim.description import RobotDescription, read_robot
from ubersim.protocol.shared_texts import SharedTexts
from ubersim.simulation import Simulation
from ubersim.simulation.budget import RobotBudget
from ubersim.simulation.scene import prepare_look


class RobotDocuments:
    """Reads the documents of robots that want to join a simulation, within its limits."""

    def __init__(self, simulation: Simulation, budget: RobotBudget, longest: int) -> None:
        """`longest`: length of a document, with all texts that it names by their hash [bytes]."""
        self._simulation = simulation
        self._budget, self._longest = budget, longest
        self._shared_texts = SharedTexts()

    def read(self, document: bytes) -> RobotDescription:
        """The robot, with its meshes built; refuses what is wrong, or would cost too much."""
        simulation = self._simulation
        whole = self._shared_texts.whole(document, self._longest)
        description = read_robot(
            whole,
            materials=simulation.materials,
            longest=len(whole),
            triangles=self._budget.triangles,
            seed=simulation.seed,
        )
        self._budget.check(description)  # at once, not when it joins
        self._prepare(description)
        self._shared_texts.keep(description.source_text)
        return description

    def _prepare(self, description: RobotDescription) -> None:
        """What takes long about its meshes, and with the first camera about all others': it needs no frame's time."""
        description.prepare()
        if self._simulation.cameras.draws_here or any(isinstance(sensor, Optics) for sensor in description.sensors):
            for robot in (description, *(robot.description for robot in list(self._simulation.robots.values()))):
                prepare_look(robot)
