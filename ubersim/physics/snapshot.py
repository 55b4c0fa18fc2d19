"""The world's state, to the bit: taken, put back, and hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import WorldError
from ubersim.physics._ode import FINE, doubles, lib
from ubersim.physics.contents import WorldContents

Snapshot = dict[str, NDArray[Any]]
STATE_ROW = 28  # the kernel's: position, quaternion, rotation, velocities, force and torque


def take(world: WorldContents) -> Snapshot:
    """Everything that the next steps depend on, apart from the objects' making."""
    bodies = np.empty((len(world.bodies), STATE_ROW))
    lib.kernel_save_bodies(world.handle, doubles(bodies))
    return {
        "frame": np.array(world.frame, dtype=np.int64),
        "bodies": bodies,
        "joints": np.array([value for joint in world.joints for value in joint.values()], dtype=np.float64),
    }


def put_back(world: WorldContents, snapshot: Mapping[str, NDArray[Any]]) -> None:
    """The opposite of `take`, in a world with the same objects, made in the same order."""
    bodies = np.ascontiguousarray(snapshot["bodies"], dtype=np.float64)
    counts = [len(joint.values()) for joint in world.joints]
    values = [float(value) for value in snapshot["joints"]]
    if bodies.shape != (len(world.bodies), STATE_ROW) or len(values) != sum(counts):
        raise WorldError(
            f"the snapshot is of {len(bodies)} bodies and {len(values)} joint properties, "
            f"the world has {len(world.bodies)} and {sum(counts)}"
        )
    # What passes here is what a step lets pass; the comparison is false for NaN.
    lengths = np.linalg.norm(bodies[:, 3:7], axis=1)
    if (
        not (np.abs(bodies[:, :22]) < 1e9).all()
        or not np.isfinite(bodies).all()
        or not (np.abs(lengths - 1) < 1e-6).all()
    ):
        raise WorldError("the snapshot is not finite, or its orientations are no rotations")
    if lib.kernel_load_bodies(world.handle, doubles(bodies)) != FINE:
        raise WorldError("the world is broken")
    for joint, count in zip(world.joints, counts, strict=True):
        joint.set_values(values[:count])
        del values[:count]
    world.frame = int(snapshot["frame"])


def digest(world: WorldContents, order: Sequence[int] | None = None) -> str:
    """A hash of all bodies' position, orientation and velocities, and of nothing else."""
    hasher = hashlib.blake2b(digest_size=16)
    for array in (world.positions, world.quaternions, world.linear_velocities, world.angular_velocities):
        hasher.update((array if order is None else array[list(order)]).tobytes())
    return hasher.hexdigest()
