"""What a run was like: one word per body and step, a hash of the body's position, orientation and velocities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import WorldError
from ubersim.physics._ode import NULL, lib, words
from ubersim.physics.world import World

Fingerprints = NDArray[np.uint32]


class StateHashes:
    """Written by the kernel from its making to `stop`; for as long as no body is added or removed, rows are steps."""

    def __init__(self, world: World, steps: int) -> None:
        self._world = world
        self._width = len(world.bodies)
        self._words = np.empty(max(1, steps * self._width), dtype=np.uint32)
        self._rewind()
        world.tape = self

    def take(self) -> Fingerprints:
        """The steps since the last call, shape (steps, bodies), in order of the world's bodies."""
        length = int(lib.kernel_tape_length(self._world.handle))
        if length > len(self._words):
            raise WorldError(f"the tape has room for {len(self._words)} words, but {length} were written")
        taken = self._words[:length].copy()
        self._rewind()
        return taken.reshape(-1, self._width) if self._width else taken.reshape(0, 0)

    def stop(self) -> None:
        """Nothing more is written."""
        lib.kernel_set_tape(self._world.handle, NULL, 0)
        self._world.tape = None

    def _rewind(self) -> None:
        lib.kernel_set_tape(self._world.handle, words(self._words), len(self._words))
