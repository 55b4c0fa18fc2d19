"""A stretch of frames with the same bodies: all that a replay needs, in a few arrays, as one message of a log.

On file: u32 length of the head, the head (JSON, which lists the arrays with type and shape), then the arrays, one after
the other. Everything is little-endian.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.description.value_types import is_name
from ubersim.errors import UberSimError
from ubersim.physics import World
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.recording.damage import is_frame
from ubersim.simulation import Simulation

TOPIC = "/ubersim/blocks"
ENCODING = "ubersim-block"
LONGEST = 1_000_000
"""Frames of one block: a second, at the shortest step."""
STATE = 13
"""Numbers of a body's state: position 3, quaternion 4 (w first), velocity 3, angular velocity 3."""
COMMAND = np.dtype([("frame", "<i8"), ("component", "<u4"), ("property", "<u4"), ("value", "<f8")])
PAYLOAD = OWN_PAYLOAD % 2**32
"""Instead of a property, where a command was a payload of the component's own; its value is the payload's length."""
READING = np.dtype([("frame", "<i8"), ("component", "<u4"), ("size", "<u4"), ("picture", "<u4")])
"""`size` bytes are here; `picture` bytes more went to a message of their own, if pictures were recorded."""

_LENGTH = struct.Struct("<I")
_ARRAYS: dict[str, np.dtype[Any]] = {
    "fingerprints": np.dtype("<u4"),
    "sampled": np.dtype("<i8"),
    "states": np.dtype("<f8"),
    "commands": COMMAND,
    "readings": READING,
    "actuations": np.dtype("|u1"),
    "command_delays": np.dtype("<u4"),
    "reading_delays": np.dtype("<u4"),
}
_OPTIONAL = ("actuations", "command_delays", "reading_delays")
"""What older programs neither wrote nor miss."""


def bodies_of(simulation: Simulation) -> list[tuple[str, str]]:
    """Robot and body of every row of the world."""
    rows = {body.row: ("", name) for name, body in simulation.objects.items()}
    for robot in simulation.robots.values():
        rows |= {body.row: (robot.name, name) for name, body in robot.bodies.items()}
    return [rows[row] for row in range(len(simulation.world.bodies))]


def state_of(world: World) -> NDArray[np.float64]:
    """The states of all bodies now, shape (bodies, 13)."""
    state = np.empty((len(world.bodies), STATE))
    state[:, :3], state[:, 3:7] = world.positions, world.quaternions
    state[:, 7:10], state[:, 10:] = world.linear_velocities, world.angular_velocities
    return state


@dataclass(frozen=True)
class Block:
    """From frame `first` to frame `end`, as the log counts frames."""

    first: int
    """The frame that it begins in; commands of that frame are in it."""
    end: int
    """The frame that it ends in; commands of that frame are in it only if something else happened right after them."""
    bodies: list[tuple[str, str]]
    """Robot and body, in the order of the world's rows; what belongs to no robot has an empty name there."""
    components: list[tuple[str, str]]
    """Robot and component that commands and readings refer to, by index."""
    fingerprints: NDArray[np.uint32]
    """A hash of every body's state in the frames first + 1 to end, shape (frames, bodies)."""
    sampled: NDArray[np.int64]
    """The frames whose states are kept; the first of them is `first`."""
    states: NDArray[np.float64]
    """Those states, to the bit, shape (samples, bodies, 13)."""
    commands: NDArray[np.void]
    """What was executed, in order."""
    readings: NDArray[np.void]
    """What was delivered, in order; `payloads` has the bytes."""
    payloads: bytes
    """The readings' bytes, one after the other; of pictures, only what comes before the pixels."""
    actuations: NDArray[np.uint8]
    """The bytes of commands that were payloads, one after the other."""
    command_delays: NDArray[np.uint32]
    """For each command, how many frames before it was executed it was sent; empty in logs that do not say."""
    reading_delays: NDArray[np.uint32]
    """For each reading, how many frames before it was delivered it was captured; empty in logs that do not say."""
    latencies: list[tuple[int, str, str, dict[str, Any]]]
    """Latencies that took effect: frame, robot, sensor (empty: of the robot's commands), the model as plain data."""

    @property
    def settings(self) -> NDArray[np.void]:
        """Those of the commands that set a property."""
        found: NDArray[np.void] = self.commands[self.commands["property"] != PAYLOAD]
        return found

    def executed(self) -> Iterator[tuple[int, int, int, float | bytes]]:
        """Of each command its frame, component (by index), number (or `OWN_PAYLOAD`) and value (or payload)."""
        place = 0
        for frame, component, number, value in self.commands.tolist():
            if number == PAYLOAD:
                payload = self.actuations[place : place + int(value)].tobytes()
                place += len(payload)
                yield frame, component, OWN_PAYLOAD, payload
            else:
                yield frame, component, number, value

    def encode(self) -> bytes:
        """The message's bytes."""
        arrays = {name: np.ascontiguousarray(getattr(self, name)) for name in _ARRAYS}
        arrays = {name: array for name, array in arrays.items() if len(array) or name not in _OPTIONAL}
        head: dict[str, Any] = {"first": self.first, "end": self.end, "bodies": self.bodies}
        head["components"] = self.components
        if self.latencies:
            head["latencies"] = self.latencies
        head["arrays"] = {name: [_ARRAYS[name].descr, array.shape] for name, array in arrays.items()}
        text = json.dumps(head, separators=(",", ":")).encode()
        return b"".join([_LENGTH.pack(len(text)), text, *(array.tobytes() for array in arrays.values()), self.payloads])

    @staticmethod
    def decode(data: bytes) -> Block:
        """The opposite of `encode`."""
        try:
            (length,) = _LENGTH.unpack_from(data)
            place = _LENGTH.size + length
            head = json.loads(data[_LENGTH.size : place])
            arrays: dict[str, NDArray[Any]] = {}
            for name, kind in _ARRAYS.items():
                shape = tuple(head["arrays"][name][1]) if name in head["arrays"] or name not in _OPTIONAL else (0,)
                count = int(np.prod(shape, dtype=np.int64))
                array = np.frombuffer(data, kind, count, place).reshape(shape)
                arrays[name], place = array, place + array.nbytes
            bodies, components = (
                [(str(robot), str(part)) for robot, part in head[key]] for key in ("bodies", "components")
            )
            latencies = [(int(f), str(r), str(s), dict(model)) for f, r, s, model in head.get("latencies", ())]
            block = Block(
                head["first"], head["end"], bodies, components, payloads=data[place:], latencies=latencies, **arrays
            )
            flaw = next((what for what, sound in block._checks() if not sound), "")
        except (struct.error, ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise UberSimError(f"a block of this log cannot be read: {error!r:.300}") from None
        if flaw:
            raise UberSimError(f"a block of this log is damaged or forged: {flaw}")
        return block

    def _checks(self) -> Iterator[tuple[str, bool]]:
        """What holds in every block that was recorded; in this order, for one may rely on those before it."""
        yield "its frames", is_frame(self.first) and is_frame(self.end) and 0 <= self.end - self.first <= LONGEST
        frames, bodies, samples = self.end - self.first, len(self.bodies), len(self.sampled)
        for robot, part in (*self.bodies, *self.components):
            yield "its names", is_name(part) and (not robot or is_name(robot))
        yield "its bodies' names", len(set(self.bodies)) == bodies
        prints = self.fingerprints
        yield "its fingerprints", prints.ndim == 2 and prints.shape[1] == bodies and len(prints) <= frames
        yield "its states", self.states.shape == (samples, bodies, STATE)
        yield "its samples", self.sampled.ndim == 1 and samples > 0 and self.sampled[0] == self.first
        yield "the order of its samples", bool((np.diff(self.sampled) > 0).all()) and self.sampled[-1] <= self.end
        for name, entries in (("commands", self.commands), ("readings", self.readings)):
            yield f"its {name}", entries.ndim == 1 and bool((entries["component"] < len(self.components)).all())
            inside = (entries["frame"] >= self.first) & (entries["frame"] <= self.end)
            yield f"its {name}' frames", bool(inside.all() and (np.diff(entries["frame"]) >= 0).all())
        lengths = self.commands["value"][self.commands["property"] == PAYLOAD]
        yield "its commands' payloads", bool((lengths >= 0).all()) and lengths.sum() == len(self.actuations)
        for name, entries, delays in (
            ("commands", self.commands, self.command_delays),
            ("readings", self.readings, self.reading_delays),
        ):
            yield f"its {name}' delays", delays.ndim == 1 and len(delays) in (0, len(entries))
        yield "its latencies", all(self.first <= frame <= self.end for frame, *_ in self.latencies)
        yield "its readings' size", int(self.readings["size"].sum(dtype=np.int64)) == len(self.payloads)
