"""A simulation's state at one frame, complete to the bit, in memory or as bytes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError

VERSION = 1
LARGEST = 2**30
"""Bytes of one, at most: robots' readings that are on their way are in it."""


@dataclass(frozen=True)
class Snapshot:
    """What `Simulation.snapshot` takes and `Simulation.restore` puts back."""

    frame: int
    """The frame that it was taken in."""
    fingerprint: str
    """Of what it fits to: world, materials, step and seed."""
    robots: tuple[dict[str, Any], ...]
    """Documents, queues and generators of the robots, in order of joining; plain data."""
    physics: Mapping[str, NDArray[Any]]
    """The kernel's arrays."""
    pushes: tuple[dict[str, Any], ...] = ()
    """Forces that go on acting; plain data."""

    actors: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """What acts from within, by name; plain data."""

    def to_bytes(self) -> bytes:
        """For a file or another process; needs no pickle to be read."""
        head = {"version": VERSION, "frame": self.frame, "fingerprint": self.fingerprint}
        head |= {"robots": self.robots, "pushes": self.pushes, "actors": dict(self.actors)}
        file = io.BytesIO()
        arrays = {"head": np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **self.physics}
        np.savez(file, allow_pickle=False, **arrays)
        return file.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> Snapshot:
        """The opposite of `to_bytes`."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                    raise UberSimError(f"this snapshot has more than {LARGEST} bytes")
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                physics = {name: arrays[name] for name in arrays.files}
            head = json.loads(physics.pop("head").tobytes())
            if head["version"] != VERSION:
                raise UberSimError(f"this snapshot is of version {head['version']}; this program reads {VERSION}")
            robots, pushes = tuple(head["robots"]), tuple(head["pushes"])
            return Snapshot(head["frame"], head["fingerprint"], robots, physics, pushes, head.get("actors", {}))
        except UberSimError:
            raise
        except Exception as error:  # whatever zip, numpy and JSON say to bytes that are something else
            raise UberSimError(f"this is no snapshot: {error!r:.300}") from None
