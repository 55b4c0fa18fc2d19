"""One run, from its specification to its row."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from ubersim.components.sensors.camera import Optics
from ubersim.description import (
    RobotDescription,
    WorldDescription,
    default_materials,
    default_world,
    read_robot,
    read_world,
)
from ubersim.description.editing import with_numbers
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.sweeps.command_run import RobotArrival, serve
from ubersim.sweeps.function_run import ControlledRobot, arguments_for, drive
from ubersim.sweeps.history import RunHistory
from ubersim.sweeps.metrics import measure, prepare
from ubersim.sweeps.parameters import Value
from ubersim.sweeps.plan import WORLD, RunSpec
from ubersim.sweeps.sources import find
from ubersim.timing.latency import Constant
from ubersim.version import __version__

_OWN = {"latency", "think", "seed"}
"""Parameters that the simulation understands, whatever the program is."""


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    number: int
    metrics: dict[str, float | bool] = field(default_factory=dict)
    digest: str = ""
    """Of the last frame."""
    frames: int = 0
    wall: float = 0.0
    """Real time that it took [s]."""
    reason: str = ""
    """Why it failed; empty: it did not."""
    version: str = __version__
    log: bytes = b""
    """Of a run that failed."""


def execute(spec: RunSpec, record: Path | None = None) -> Outcome:
    """Runs it here and now; what goes wrong is an exception."""
    began = time.perf_counter()
    setup, settings = spec.setup, _Settings.of(spec)
    with Simulation(settings.world, step=setup.step, seed=spec.seed) as simulation:
        histories: list[RunHistory] = []

        def watch(robot: Robot) -> None:
            if not histories:
                histories.append(RunHistory(simulation, robot))
                prepare(histories[0], setup.metrics)
                simulation.observers.append(histories[0])

        with _recorder(simulation, record):
            if isinstance(setup.program, str):
                _control(simulation, spec, settings, watch)
            else:
                simulation.observers.append(RobotArrival(watch))
                serve(simulation, setup.program, settings.document, setup.frames, spec.parameters, setup.folder)
        if not histories:
            raise UberSimError("no robot came")
        metrics = measure(histories[0], setup.metrics, setup.sources)
        return Outcome(
            spec.number,
            metrics,
            simulation.digest(),
            simulation.frame,
            time.perf_counter() - began,
            version=__version__,
        )


def _control(simulation: Simulation, spec: RunSpec, settings: _Settings, watch: Callable[[Robot], None]) -> None:
    robot = simulation.spawn(settings.robot())
    watch(robot)
    program = find(str(spec.setup.program), spec.setup.sources)
    controlled = ControlledRobot(simulation, robot, settings.think)
    drive(simulation, program(controlled, **arguments_for(program, settings.gains)), spec.setup.frames)


def _recorder(simulation: Simulation, path: Path | None) -> AbstractContextManager[object]:
    if path is None:
        return nullcontext()
    from ubersim.recording import Recorder

    return Recorder(simulation, path)


@dataclass(frozen=True)
class _Settings:
    """What the parameters of a run mean."""

    document: str
    world: WorldDescription
    latency: float | None
    think: float
    gains: Mapping[str, Value]
    cameras: bool

    @staticmethod
    def of(spec: RunSpec) -> _Settings:
        paths = {name: float(value) for name, value in spec.parameters.items() if "/" in name}
        inside = {name.removeprefix(WORLD): value for name, value in paths.items() if name.startswith(WORLD)}
        own = {name: value for name, value in paths.items() if not name.startswith(WORLD)}
        latency = spec.parameters.get("latency")
        document = with_numbers(spec.setup.robot, own, "the robot")
        if latency is not None and not isinstance(spec.setup.program, str):
            document = with_numbers(document, {"CSettings/Latency": float(latency)}, "the robot")
        return _Settings(
            document,
            _world(spec.setup.world, tuple(sorted(inside.items()))),
            None if latency is None else float(latency),
            float(spec.parameters.get("think", 0.0)),
            {name: value for name, value in spec.parameters.items() if "/" not in name and name not in _OWN},
            spec.setup.cameras,
        )

    def robot(self) -> RobotDescription:
        """As the program gets it."""
        robot = _robot(self.document, self.cameras)
        if self.latency is None:
            return robot
        return replace(robot, settings=replace(robot.settings, latency=Constant(self.latency)))


@lru_cache(maxsize=64)
def _robot(document: str, cameras: bool) -> RobotDescription:
    """Reading a document takes longer than many a run."""
    robot = read_robot(document, materials=default_materials())
    if cameras:
        return robot
    bodies = tuple(
        replace(body, primitives=tuple(one for one in body.primitives if not isinstance(one, Optics)))
        for body in robot.entity.rigid_bodies
    )
    return replace(robot, entity=replace(robot.entity, rigid_bodies=bodies))


@lru_cache(maxsize=16)
def _world(text: str, numbers: tuple[tuple[str, float], ...]) -> WorldDescription:
    if not text and not numbers:
        return default_world()
    text = text or default_world().source_text
    return read_world(with_numbers(text, dict(numbers), "the world"), materials=default_materials())
