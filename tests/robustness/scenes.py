"""A world with robots of strangers in it: whatever they are like and do, it costs them, and nobody else."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from tests.robustness.chance import chance, odd, pick, spread
from tests.robustness.documents import robot, world
from ubersim.description import default_materials, read_world
from ubersim.errors import ActuationError, ExplodedError, SensingError, UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.budget import RobotBudget
from ubersim.simulation.robot import Robot

LONGEST_FRAME = 1.0
"""Processor time that a frame may take [s]."""
MOST_LOSSES = 100
"""Steps in which somebody explodes, one after the other, until the world should have got over it."""

Command = tuple[int, str, str, int, float]
"""Frame, robot, component, property, value."""


@dataclass
class Scene:
    """Everything that is needed to let it happen again."""

    robots: list[str]
    """Their documents, in order of joining; one that is refused joins nothing."""
    world: str = ""
    """Its document; empty: a ground."""
    frames: int = 30
    commands: list[Command] = field(default_factory=list)
    about: str = ""
    """What it is an example of."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)

    @staticmethod
    def from_json(text: str | bytes) -> Scene:
        return Scene(**json.loads(text))


@dataclass
class Outcome:
    """What became of a scene."""

    joined: int = 0
    lost: list[str] = field(default_factory=list)
    """Why robots had to go."""
    slowest: float = 0.0
    """The longest frame [s of processor time]."""


def live(scene: Scene, improvise: Callable[[int, Robot], list[tuple[str, int, float]]] | None = None) -> Outcome:
    """Lets it happen as a server does; `improvise` adds commands, which the scene keeps."""
    outcome, materials = Outcome(), default_materials()
    described = read_world(scene.world, materials=materials) if scene.world else None
    with Simulation(described) as simulation:
        simulation.budget = RobotBudget()
        for document in scene.robots:
            began = time.process_time()
            try:
                simulation.spawn(document)
                outcome.joined += 1
            except UberSimError as error:
                outcome.lost.append(str(error))
            outcome.slowest = max(outcome.slowest, time.process_time() - began)
        by_frame: dict[int, list[Command]] = {}
        for command in scene.commands:
            by_frame.setdefault(command[0], []).append(command)
        for frame in range(scene.frames):
            began = time.process_time()
            commands = by_frame.get(frame, [])
            if improvise is not None:
                new = [(frame, one.name, *rest) for one in simulation.robots.values() for rest in improvise(frame, one)]
                scene.commands += new
                commands = [*commands, *new]
            _frame(simulation, commands, outcome)
            outcome.slowest = max(outcome.slowest, time.process_time() - began)
            if outcome.slowest > LONGEST_FRAME:
                break
    return outcome


def _frame(simulation: Simulation, commands: list[Command], outcome: Outcome) -> None:
    def lose(name: str, reason: object) -> None:
        outcome.lost.append(str(reason))
        simulation.remove(name)

    for _, name, component, number, value in commands:
        if name in simulation.robots:
            try:
                simulation.robots[name].command(component, number, value)
            except UberSimError as error:
                lose(name, error)
    for one in simulation.robots.values():
        one.commands.ack(simulation.frame)
    simulation.settle_frame()
    for _ in range(MOST_LOSSES):
        try:
            simulation.finish_frame()
            break
        except ActuationError as error:
            lose(error.robot, error)
        except ExplodedError as error:
            for name in simulation.names_of(error.owners):
                lose(name, error)
    else:
        raise AssertionError("the world does not get over it")
    for _ in range(MOST_LOSSES):
        try:
            return simulation.begin_frame()
        except SensingError as error:
            lose(error.robot, error)


def improvised(random: Random) -> Callable[[int, Robot], list[tuple[str, int, float]]]:
    """Commands of a program that knows which there are, and has no idea what they mean."""

    def commands(frame: int, one: Robot) -> list[tuple[str, int, float]]:
        if not chance(random, 0.3):
            return []
        settable = {name: sorted(numbers) for name, numbers in one.settable().items() if numbers}
        chosen = [pick(random, list(settable)) for _ in range(random.choice([1, 1, 2, 6]))]
        return [(name, pick(random, settable[name]), _value(random)) for name in chosen]

    return commands


def _value(random: Random) -> float:
    usual = lambda: random.choice([random.uniform(-1, 1), random.uniform(-30, 30), spread(random, 1e-6, 1e6)])  # noqa: E731
    return float(odd(random, usual, share=0.1))


def scene(random: Random) -> Scene:
    """One or two robots, and mostly the usual ground."""
    robots = [robot(random, f"R{number}") for number in range(random.choice([1, 1, 2]))]
    return Scene(robots, world(random) if chance(random, 0.1) else "", random.choice([10, 30, 60]))


def run(random: Random) -> dict[str, Any]:
    """One scene, and what became of it."""
    found = scene(random)
    try:
        outcome = live(found, improvised(random))
    except UberSimError as error:
        if found.world:
            return {"refused": str(error)}
        raise Finding(found) from error
    except Exception as error:
        raise Finding(found) from error
    if outcome.slowest > LONGEST_FRAME:
        raise Finding(found) from AssertionError(f"a frame takes {outcome.slowest:.1f} s")
    return asdict(outcome)


class Finding(Exception):
    """A scene that ends or hangs a server."""

    def __init__(self, found: Scene) -> None:
        self.scene = found
        super().__init__(found.to_json()[:2000])
