"""What every engine can be asked for once a scene is built in it."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from benchmarks.scenes.scene import Scene
from ubersim.geometry import Array


class Engine(ABC):
    """A scene with time. The arrays have one row per body, in the scene's order."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    @abstractmethod
    def run(self, steps: int = 1) -> None:
        """Takes steps."""

    @property
    @abstractmethod
    def positions(self) -> Array:
        """Of the centres of mass [m], shape (N, 3)."""

    @property
    @abstractmethod
    def rotations(self) -> Array:
        """From the bodies' axes to the world's, shape (N, 3, 3)."""

    @property
    @abstractmethod
    def linear(self) -> Array:
        """[m/s], shape (N, 3)."""

    @property
    @abstractmethod
    def angular(self) -> Array:
        """[rad/s], in world axes, shape (N, 3)."""

    @abstractmethod
    def push(self, body: int, force: Array, point: Array | None = None) -> None:
        """A force during the next step [N], at a point of the world or at the centre of mass."""

    @abstractmethod
    def drive(self, joint: int, rate: float, limit: float) -> None:
        """A motor on a joint's last axis: wanted rate [rad/s or m/s], and what it may exert [N m or N]."""

    # What follows from these

    @property
    def masses(self) -> Array:
        """[kg], shape (N,)."""
        return np.array([body.mass for body in self.scene.bodies])

    @property
    def momentum(self) -> Array:
        """Linear, of all together [kg m/s]."""
        total: Array = self.masses @ self.linear
        return total

    def spins(self) -> Array:
        """Angular momentum of each body about its own centre [kg m^2/s], shape (N, 3)."""
        inertias = np.array([body.inertia for body in self.scene.bodies])
        turned = self.rotations @ inertias @ self.rotations.transpose(0, 2, 1)
        spins: Array = np.einsum("nij,nj->ni", turned, self.angular)
        return spins

    @property
    def kinetic_energy(self) -> float:
        """[J]"""
        straight = 0.5 * float(self.masses @ (self.linear**2).sum(axis=1))
        return straight + 0.5 * float((self.spins() * self.angular).sum())

    @property
    def energy(self) -> float:
        """Kinetic and potential [J]."""
        return self.kinetic_energy - float(self.masses @ (self.positions @ np.array(self.scene.gravity)))

    @property
    def speeds(self) -> Array:
        """[m/s], shape (N,)."""
        speeds: Array = np.linalg.norm(self.linear, axis=1)
        return speeds
