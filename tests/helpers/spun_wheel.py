"""A wheel on a motor, far above the ground: what it is told and what is read of it, as its program would log it."""

from __future__ import annotations

import csv
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.helpers.documents import body, robot, vector
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot
from ubersim.timing.latency import Constant, LatencyModel
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform

STEP = 0.001


def element(model: LatencyModel) -> str:
    """A latency as documents have it."""
    names = {"constant": ("value",), "uniform": ("min", "max"), "normal": ("mean", "sigma", "min")}[model.kind]
    inside = "".join(f"<{name.capitalize()}>{getattr(model, name)}</{name.capitalize()}>" for name in names)
    return f'<Latency model="{model.kind}">{inside}<Loss>{model.loss}</Loss></Latency>'


@dataclass(frozen=True)
class Wheel:
    """The robot and its latencies."""

    actuation: LatencyModel = field(default_factory=Constant)
    sensing: LatencyModel = field(default_factory=Constant)
    stamped: bool = False
    frequency: float = 1000.0
    noise: float = 0.0
    """Of the rate [rad/s]."""
    torque: float = 1000.0
    """Of the motor [N m]; with little of it the wheel takes its time."""
    mass: float = 1.0

    def document(self) -> str:
        """Its XML."""
        high = vector("Position", 0, 0, 5)
        box = f'<Box name="Block"><Mass>50</Mass><XSize>1</XSize><YSize>1</YSize><ZSize>1</ZSize>{high}'
        meter = f'<JointSensor name="Meter"><Joint>Motor</Joint>{high}<Frequency>{self.frequency:g}</Frequency>'
        meter += f"{element(self.sensing)}<RateNoise>{self.noise}</RateNoise>"
        meter += f"<Stamped>{str(self.stamped).lower()}</Stamped></JointSensor>"
        tyre = f'<Sphere name="Tyre"><Mass>{self.mass}</Mass><Radius>0.1</Radius>{vector("Position", 2, 0, 5)}'
        hinge = f"<Body1>Base</Body1><Body2>Rim</Body2>{vector('Axis', 1, 0, 0)}{vector('AnchorPos', 2, 0, 5)}"
        return robot(
            body(f"{box}<Material>Rubber</Material></Box>{meter}", "Base")
            + body(f"{tyre}<Material>Rubber</Material></Sphere>", "Rim"),
            f'<JointFixed name="Stand"><Body1>Base</Body1></JointFixed>'
            f'<JointHinge name="Motor">{hinge}<FMax>{self.torque}</FMax></JointHinge>',
            f"<CSettings><Name>Wheel</Name>{element(self.actuation)}</CSettings>",
        )


class ProgramLog(Observer):
    """Notes readings when they are received."""

    def __init__(self, simulation: Simulation, stamped: bool) -> None:
        self._simulation = simulation
        self._start = 8 if stamped else 0
        self.rows: list[tuple[float, str, str, str]] = []
        """Time, command, response, stamp."""

    def sensed(self, robot: Robot) -> None:
        for _, payload in robot.readings:
            stamp = repr(struct.unpack_from("<d", payload)[0]) if self._start else ""
            rate = struct.unpack_from("<3f", payload, self._start)[1]
            self.rows.append((self._simulation.time, "", repr(rate), stamp))

    def sent(self, value: float) -> None:
        """The program sends a command now."""
        self.rows.append((self._simulation.time, repr(value), "", ""))


def spin(wheel: Wheel, path: Path, *, changes: int, hold: float, seed: int = 0, raster: int = 1) -> Path:
    """Tells the motor other speeds, each for about `hold` seconds; nothing but times and values is left in the file.

    The program does something every `raster` frames alone.
    """
    rng = np.random.default_rng(seed)
    with Simulation(step=STEP, seed=seed) as simulation:
        robot = simulation.spawn(wheel.document(), position=(0.0, 0.0, 0.0))
        log = ProgramLog(simulation, wheel.stamped)
        simulation.observers.append(log)
        speed = 0.0
        for _ in range(changes):
            speed += float(rng.choice([-1, 1])) * float(rng.uniform(2.0, 8.0))
            speed = speed if abs(speed) < 15 else -float(np.sign(speed)) * 5.0
            log.sent(speed)
            robot.command("Motor", "Vel", speed)
            simulation.step(round(hold * rng.uniform(1.0, 1.2) / (raster * STEP)) * raster)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "command", "rate", "rate.stamp"] if wheel.stamped else ["time", "command", "rate"])
        writer.writerows(row if wheel.stamped else row[:3] for row in log.rows)
    return path


def moments(model: LatencyModel) -> tuple[float, float]:
    """Mean and standard deviation of a latency, as drawn [ms]."""
    match model:
        case Constant():
            return model.value, 0.0
        case Uniform():
            return (model.min + model.max) / 2, (model.max - model.min) / 12**0.5
        case Normal():
            return model.mean, model.sigma
    raise AssertionError(model)
