"""The native lane: plain frames of a server in the kernel, many per call, without Python; see kernel/lane_api.h."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from ctypes import CDLL, c_void_p, cast
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np

from ubersim.errors import WorldError
from ubersim.physics._ode import NULL, ffi, integers, lib
from ubersim.physics.kernel_world import KernelWorld

DIGEST_SIZE = 16
_MOST_DIGESTS = 4096
"""Frames whose hashes are kept until they are taken."""


class LaneReason(IntEnum):
    """Why a call returned."""

    DONE = lib.LANE_DONE
    CLOCK = lib.LANE_CLOCK
    NEWS = lib.LANE_NEWS
    SILENCE = lib.LANE_SILENCE
    MESSAGE = lib.LANE_MESSAGE
    LOST = lib.LANE_LOST
    UNSENT = lib.LANE_UNSENT
    STEP = lib.LANE_STEP
    SENSING = lib.LANE_SENSING
    FULL = lib.LANE_FULL


@cache
def _standard_normal() -> Any:
    """numpy's own function, so that C and Python draw the same numbers from the same generators."""
    library = CDLL(np.random._generator.__file__)
    return ffi.cast("double (*)(void *)", cast(library.random_standard_normal, c_void_p).value)


def address_of_generator(rng: np.random.Generator) -> Any:
    """Where a generator has its state and its functions; it must outlive the use of the pointer."""
    return ffi.cast("void *", rng.bit_generator.ctypes.bit_generator.value)


def native_constant(name: str) -> int:
    """A number of lane_api.h: `TILT`, `SERVO`."""
    return int(getattr(lib, f"LANE_{name}"))


class FrameLane:
    """Frames of one world. What its clients are is written into the kernel's own structures."""

    def __init__(self, world: KernelWorld, step: float) -> None:
        self._world = world  # which must not go before this
        self._handle = lib.lane_create(world.handle, step, _standard_normal())
        if self._handle == NULL:
            raise WorldError("no memory for a lane")
        weakref.finalize(self, lib.lane_destroy, self._handle).atexit = False  # other threads may go on until the end
        self._digests = np.empty((_MOST_DIGESTS, DIGEST_SIZE), dtype=np.uint8)
        self._rows = np.empty(0, dtype=np.int64)

    def clients(self, count: int) -> Any:
        """Room for so many clients, in the order of their robots; those before them are forgotten."""
        clients = lib.lane_clients(self._handle, count)
        if clients == NULL:
            raise WorldError(f"no memory for {count} clients")
        return clients

    def hash_frames(self, rows: Sequence[int] | None) -> None:
        """From now on every frame is hashed, bodies in this order of rows; None: no frame is."""
        self._rows = np.array(rows or (), dtype=np.int64)
        room = 0 if rows is None else _MOST_DIGESTS
        digests = ffi.cast("uint8_t *", self._digests.ctypes.data)
        lib.lane_set_digests(self._handle, digests, room, integers(self._rows), len(self._rows))

    def take_digests(self) -> list[str]:
        """The hashes since `hash_frames`, as hexadecimal text."""
        return [bytes(row).hex() for row in self._digests[: lib.lane_digest_count(self._handle)]]

    def interrupt(self) -> None:
        """Another thread has something: a call that runs returns soon, and one that begins, at once."""
        lib.lane_interrupt(self._handle)

    def listen(self) -> None:
        """Forgets interruptions; what they were about has to be looked at after this."""
        lib.lane_listen(self._handle)

    def run(self, frame: int, until: int, seconds: float, *, spin: bool) -> LaneReason:
        """Frames from the first up to the other, or for about so long."""
        return LaneReason(lib.lane_run(self._handle, frame, until, seconds, spin))

    @property
    def frame(self) -> int:
        """The frame that the last call got to."""
        return int(lib.lane_frame(self._handle))

    @property
    def middle(self) -> bool:
        """Whether that frame has begun: its readings are sent, its answers are waited for."""
        return bool(lib.lane_middle(self._handle))

    @property
    def culprit(self) -> int:
        """The client that the reason is about; -1: none."""
        return int(lib.lane_culprit(self._handle))

    @property
    def error(self) -> int:
        """The system's number of what went wrong with its connection."""
        return int(lib.lane_errno(self._handle))
