"""What has happened in a trial so far, sample by sample."""

from __future__ import annotations

import csv
import math
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.snapshot import Snapshot

LONGEST = 600.0
"""Simulated time that is kept [s]."""


@dataclass(frozen=True)
class Moment:
    """One body at one instant."""

    time: float
    """[s]"""
    position: NDArray[np.float64]
    """Of the centre of mass [m]."""
    velocity: NDArray[np.float64]
    """[m/s]"""
    rotation: NDArray[np.float64]
    """A matrix whose columns are the body's axes."""

    @property
    def tilt(self) -> float:
        """Between the body's up axis and the world's [degrees]."""
        return math.degrees(math.acos(min(1.0, max(-1.0, float(self.rotation[2, 2])))))

    @property
    def heading(self) -> float:
        """Of the body's forward axis about +z, from the world's +y, as `Heading` in a document [degrees]."""
        return math.degrees(math.atan2(0.0 - self.rotation[0, 1], self.rotation[1, 1]))

    @property
    def speed(self) -> float:
        """[m/s]"""
        return float(np.linalg.norm(self.velocity))


class History(Observer):
    """Samples of everything, at regular instants of simulated time."""

    def __init__(self, simulation: Simulation, period: float) -> None:
        self._simulation = simulation
        self.every = max(1, round(period / simulation.step_size))
        """Frames from one sample to the next."""
        self.next_frame = simulation.frame
        self._samples: deque[tuple[float, dict[str, Moment], frozenset[tuple[str, str]]]] = deque(
            maxlen=max(1, round(LONGEST / period))
        )

    def begun(self, frame: int) -> None:
        self.sample()
        self.next_frame = frame - frame % self.every + self.every

    def restored(self, snapshot: Snapshot, before: int) -> None:
        self.next_frame = self._simulation.frame

    def sample(self) -> None:
        """Keeps the present."""
        simulation = self._simulation
        if self._samples and self._samples[-1][0] >= simulation.time:
            self._samples.pop()  # the same instant again, after an intervention
        bodies = dict(simulation.objects)
        for robot in simulation.robots.values():
            bodies |= {f"{robot.name}/{name}": body for name, body in robot.bodies.items()}
        moments = {
            name: Moment(simulation.time, body.position.copy(), body.linear_velocity.copy(), body.rotation.copy())
            for name, body in bodies.items()
        }
        self._samples.append((simulation.time, moments, touching(simulation)))

    def now(self, body: str) -> Moment:
        """A body's last sample."""
        return self._samples[-1][1][body]

    def touching_now(self) -> frozenset[tuple[str, str]]:
        """The pairs that touched in the last sample."""
        return self._samples[-1][2]

    def of(self, body: str, seconds: float = math.inf) -> list[Moment]:
        """A body's samples of the last seconds."""
        since = self._samples[-1][0] - seconds - 1e-9 if self._samples else 0.0
        return [moments[body] for time, moments, _ in self._samples if time >= since and body in moments]

    def contacts(self, seconds: float = math.inf) -> list[tuple[float, frozenset[tuple[str, str]]]]:
        """The pairs that touched, in the samples of the last seconds."""
        since = self._samples[-1][0] - seconds - 1e-9 if self._samples else 0.0
        return [(time, pairs) for time, _, pairs in self._samples if time >= since]

    @property
    def bodies(self) -> list[str]:
        """All bodies that were there at some time."""
        return list(dict.fromkeys(name for _, moments, _ in self._samples for name in moments))

    def write_csv(self, path: Path) -> None:
        """All samples as a table: time, body, position, tilt, heading, velocity."""
        with path.open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["time", "body", "x", "y", "z", "tilt", "heading", "vx", "vy", "vz"])
            for time, moments, _ in self._samples:
                for name, m in moments.items():
                    table.writerow([f"{time:.6f}", name, *m.position, m.tilt, m.heading, *m.velocity])


def touching(simulation: Simulation) -> frozenset[tuple[str, str]]:
    """The pairs that touched in the last step, by name, in order; what never moves is the `World`."""
    contacts = simulation.world.contacts()
    if not len(contacts.a):
        return frozenset()
    names = {body: name for name, body in simulation.objects.items()}
    for robot in simulation.robots.values():
        names |= {body: f"{robot.name}/{name}" for name, body in robot.bodies.items()}
    geoms = {geom.id: "World" if geom.body is None else names.get(geom.body, "?") for geom in simulation.world.geoms}
    return frozenset(
        tuple(sorted((geoms.get(a, "?"), geoms.get(b, "?"))))  # type: ignore[misc]  # two of them
        for a, b in zip(contacts.a.tolist(), contacts.b.tolist(), strict=True)
    )
