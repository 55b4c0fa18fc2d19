"""One ODE world: what is in it, and what happens to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ubersim.errors import WorldError
from ubersim.physics import snapshot, validation
from ubersim.physics._ode import NULL, doubles, integers, lib
from ubersim.physics.contents import WorldContents
from ubersim.physics.results import Contacts
from ubersim.physics.surfaces import SurfaceLike, packed

Solver = Literal["exact", "quick", "auto"]
_SOLVERS: Mapping[str, int] = {"exact": lib.SOLVER_EXACT, "quick": lib.SOLVER_QUICK, "auto": lib.SOLVER_AUTO}


class World(WorldContents):
    """A scene with time: an integer frame number, and steps of constant length."""

    def __init__(
        self,
        step: float,
        *,
        surfaces: Sequence[Sequence[SurfaceLike]],
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        erp: float = 0.2,
        cfm: float = 0.0,
        solver: Solver = "auto",
        iterations: int = 20,
    ) -> None:
        if solver not in _SOLVERS:
            raise WorldError(f"solver is {solver!r}, allowed are {', '.join(_SOLVERS)}")
        self.step = validation.number("step", step, *validation.STEPS)
        self.gravity = pull = validation.numbers("gravity", gravity, (3,), 1e4)
        handle = lib.kernel_create(
            self.step,
            doubles(pull),
            validation.number("ERP", erp, 0.0, 1.0),
            validation.number("CFM", cfm, 0.0, 1e6),
            _SOLVERS[solver],
            int(validation.number("iterations", iterations, 1, 10_000)),
            len(surfaces),
            packed(surfaces),
        )
        if handle == NULL:
            raise WorldError("no memory for a world")
        self._run = lib.kernel_run  # bound once: this is the hot call
        super().__init__(handle, len(surfaces))

    def run(self, steps: int = 1) -> None:
        """Takes steps. A step in which a body stops being finite is undone, and raises ExplodedError."""
        outcome = self._run(self.handle, steps)
        if outcome:
            self._fail(outcome)

    def use_threads(self, threads: int) -> None:
        """How many threads solve what does not touch, this one among them; it makes no difference to any bit."""
        if lib.kernel_set_threads(self.handle, int(validation.number("threads", threads, 1, 256))):
            self._fail(lib.KERNEL_REFUSED)

    def limit_contacts(self, most: int | None) -> None:
        """How many contacts an owner, but not the world itself, may have in a step; beyond, ExplodedError names it."""
        lib.kernel_set_contact_limit(self.handle, most or 0)

    @property
    def quick_islands(self) -> int:
        """How many islands the solver `auto` gave to the iterative method in the last step."""
        return int(lib.kernel_islands_solved_quickly(self.handle))

    @property
    def failed_solves(self) -> int:
        """How often so far the direct method found no solution for an island, and the iterative one took over."""
        return int(lib.kernel_failed_solves(self.handle))

    def contacts(self) -> Contacts:
        """The contacts that the last step found at its beginning and dealt with."""
        count = lib.kernel_contact_count(self.handle)
        ids, positions = np.empty((count, 2), dtype=np.int64), np.empty((count, 3))
        normals, depths = np.empty((count, 3)), np.empty(count)
        lib.kernel_contacts(self.handle, integers(ids), doubles(positions), doubles(normals), doubles(depths))
        return Contacts(ids[:, 0], ids[:, 1], positions, normals, depths)

    def snapshot(self) -> snapshot.Snapshot:
        """The state to the bit: frame, bodies, forces, joint properties."""
        return snapshot.take(self)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts a snapshot back, in a world with the same objects made in the same order."""
        snapshot.put_back(self, state)

    def digest(self, order: Sequence[int] | None = None) -> str:
        """A hash of the bodies' position, orientation and velocities, in the given order of rows."""
        return snapshot.digest(self, order)
