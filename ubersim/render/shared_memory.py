"""Memory that a server and one render worker share: poses and pictures need not go through a pipe.

It is an anonymous file (memfd) that the worker inherits: it has no name, so nothing is left behind, whichever process
dies first, and it can grow, which both sides follow by mapping it anew.
"""

from __future__ import annotations

import math
import mmap
import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.render.camera import Camera, Output
from ubersim.render.jobs import TYPES, Job, Motion, Picture, shape_of

Array = NDArray[np.float64]

PAGE = mmap.PAGESIZE
MOST_FREE = 64 * 2**20
"""Bytes that are kept for the next jobs."""
POSE = 12
"""Floats of a pose: position, then rotation row by row."""
VELOCITY = 6
"""Floats of how a body moves: linear and angular velocity, for pictures of more than one instant."""


@dataclass(frozen=True)
class Slot:
    """A piece of the memory that belongs to one job: its poses, with velocities if needed, then its picture."""

    offset: int
    """First byte."""
    size: int
    """How many bytes."""


class Arena:
    """Slots in a shared file; the owner creates it, the worker opens it by its descriptor."""

    def __init__(self, descriptor: int | None = None) -> None:
        self.descriptor = os.memfd_create("ubersim-render") if descriptor is None else descriptor
        self._map: mmap.mmap | None = None
        self._end = 0
        self._free: list[Slot] = []

    def take(self, size: int) -> Slot:
        """A slot of at least that many bytes: the smallest free one that fits, or a new one."""
        fitting = [slot for slot in self._free if slot.size >= size]
        if fitting:
            slot = min(fitting, key=lambda slot: slot.size)
            self._free.remove(slot)
            return slot
        slot = Slot(self._end, -(-size // PAGE) * PAGE)
        self._end += slot.size
        os.ftruncate(self.descriptor, self._end)
        return slot

    def give_back(self, slot: Slot) -> None:
        """The slot may be taken again; if too much of the memory is free, the end of it is given up."""
        self._free.append(slot)
        if sum(slot.size for slot in self._free) > MOST_FREE:
            self._shrink()

    def _shrink(self) -> None:
        """Mappings that reach beyond the file's end do no harm: a slot is touched only while it is taken."""
        for slot in sorted(self._free, key=lambda slot: slot.offset, reverse=True):
            if slot.offset + slot.size < self._end:
                break
            self._free.remove(slot)
            self._end = slot.offset
        os.ftruncate(self.descriptor, self._end)

    def poses(self, slot: Slot, bodies: int, moving: bool = False) -> Array:
        """The camera's pose, then the bodies', (1 + bodies, 12); (1 + bodies, 18) with velocities."""
        count = _poses_bytes(bodies, moving) // 8
        return np.frombuffer(self._memory(slot), np.float64, count, slot.offset).reshape(1 + bodies, -1)

    def picture(self, slot: Slot, bodies: int, camera: Camera, output: Output, moving: bool = False) -> Picture:
        """The picture's place in the slot."""
        shape = shape_of(camera, output)
        start = slot.offset + _poses_bytes(bodies, moving)
        picture: Picture = np.frombuffer(self._memory(slot), TYPES[output], math.prod(shape), start).reshape(shape)
        return picture

    def _memory(self, slot: Slot) -> mmap.mmap:
        if self._map is None or len(self._map) < slot.offset + slot.size:
            # The old mapping lives on as long as arrays look into it.
            self._map = mmap.mmap(self.descriptor, os.fstat(self.descriptor).st_size)
        return self._map

    def close(self) -> None:
        """Lets go of the file; the memory is freed with the last mapping."""
        self._map = None
        os.close(self.descriptor)


def needed_bytes(job: Job) -> int:
    """How large a job's slot must be."""
    picture = math.prod(shape_of(job.camera, job.output)) * np.dtype(TYPES[job.output]).itemsize
    return _poses_bytes(len(job.positions), job.motion_seen is not None) + picture


def write_poses(job: Job, poses: Array) -> None:
    """Puts the job's poses into its slot."""
    poses[0, :3], poses[0, 3:POSE] = job.position, np.ravel(job.rotation)
    poses[1:, :3], poses[1:, 3:POSE] = job.positions, np.reshape(job.rotations, (-1, 9))
    if (motion := job.motion_seen) is not None:
        poses[1:, POSE : POSE + 3], poses[1:, POSE + 3 :] = motion.linear_velocities, motion.angular_velocities


def read_job(poses: Array, camera: Camera, output: Output, frame: int, carrier: int | None = None) -> Job:
    """The job as it was submitted, looking at the poses where they are; with a carrier, they have velocities."""
    rotations = poses[:, 3:POSE].reshape(-1, 3, 3)
    motion = None if carrier is None else Motion(poses[1:, POSE : POSE + 3], poses[1:, POSE + 3 :], carrier)
    return Job(camera, poses[0, :3], rotations[0], poses[1:, :3], rotations[1:], output, frame, motion)


def _poses_bytes(bodies: int, moving: bool) -> int:
    return (1 + bodies) * (POSE + VELOCITY if moving else POSE) * 8
