"""A real robot's run in the format of our logs: what it was told and what it did, without a known world.

Such a log is plotted, identified, compared and given to programs again as any other; it cannot be simulated again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ubersim.protocol.log_entries import LogEntry
from ubersim.protocol.parameters import Declaration
from ubersim.recording.block import COMMAND, PAYLOAD, READING, STATE, Block
from ubersim.recording.block import TOPIC as BLOCKS
from ubersim.recording.event import TOPIC as EVENTS
from ubersim.recording.file import LogWriter, circumstances
from ubersim.recording.foxglove_topics import FoxgloveTopics
from ubersim.recording.program_topics import ProgramTopics
from ubersim.recording.recorder import BLOCK_SCHEMA, EVENT_SCHEMA, documents_of, event_about
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Command, Robot

_BLOCK_SECONDS = 1.0


class RealRunRecorder:
    """Told of readings and commands as they come; a block of the log is a second."""

    def __init__(self, twin: Simulation, robot: Robot, path: str | Path) -> None:
        """`robot` stands in its simulation for what the document says of it; nothing of their state is written."""
        self._robot, self._step = robot, twin.step_size
        self._writer = LogWriter(Path(path))
        documents = documents_of(twin)
        with Simulation(step=twin.step_size) as empty:
            documents["start.npz"] = ("application/octet-stream", empty.snapshot().to_bytes())
        facts = {"step": repr(twin.step_size), "seed": str(twin.seed), "frame": "0", "world": "real", "real": "yes"}
        self._writer.describe(circumstances() | facts, documents)
        self._view = FoxgloveTopics(twin, self._writer)
        joined = event_about(robot, 0, "joined")
        self._writer.add(EVENTS, EVENT_SCHEMA, 0, joined.encode())
        self._view.recorded(joined, robot, 0)
        twin.observers.append(_ProgramEar(ProgramTopics(self._writer), self._step))
        self._frames = max(1, round(_BLOCK_SECONDS / self._step))
        self._first = 0
        self._clear()

    def sensed(self, frame: int, readings: Sequence[tuple[str, bytes]]) -> None:
        """Readings came in this frame; frames never go back."""
        if frame >= self._first + self._frames:
            self._write(frame)
        for name, payload in readings:
            self._readings.append((frame, self._component(name), len(payload), 0))
            self._payloads.append(payload)

    def executed(self, frame: int, commands: Sequence[Command]) -> None:
        """Commands went to the robot in this frame."""
        for component, number, value in commands:
            if isinstance(value, bytes):
                self._actuations += value
                number, value = PAYLOAD, len(value)
            self._commands.append((frame, self._component(component), number, value))

    def close(self, frame: int) -> None:
        """Writes the rest; the run ends with this frame."""
        self._write(frame)
        self._write(frame)  # one more block, of no length, as all logs end
        self._writer.close()

    def _write(self, end: int) -> None:
        block = Block(
            first=self._first,
            end=end,
            bodies=[],
            components=list(self._components),
            fingerprints=np.empty((end - self._first, 0), dtype=np.uint32),
            sampled=np.array([self._first], dtype=np.int64),
            states=np.empty((1, 0, STATE)),
            commands=np.array(self._commands, dtype=COMMAND),
            readings=np.array(self._readings, dtype=READING),
            payloads=b"".join(self._payloads),
            actuations=np.frombuffer(bytes(self._actuations), dtype=np.uint8),
            command_delays=np.empty(0, dtype=np.uint32),
            reading_delays=np.empty(0, dtype=np.uint32),
            latencies=[],
        )
        self._writer.add(BLOCKS, BLOCK_SCHEMA, round(self._first * self._step * 1e9), block.encode())
        self._view.block(block)
        self._writer.flush()
        self._first = end
        self._clear()

    def _clear(self) -> None:
        self._commands: list[tuple[int, int, int, float]] = []
        self._readings: list[tuple[int, int, int, int]] = []
        self._payloads: list[bytes] = []
        self._actuations = bytearray()
        self._components: dict[tuple[str, str], int] = {}

    def _component(self, name: str) -> int:
        return self._components.setdefault((self._robot.name, name), len(self._components))


class _ProgramEar(Observer):
    """Hears what the robot's program declares and logs."""

    hears_programs = True

    def __init__(self, topics: ProgramTopics, step: float) -> None:
        self._topics, self._step = topics, step

    def declared(self, robot: Robot, frame: int, parameter: Declaration) -> None:
        """It is in the log."""
        self._topics.declare(robot, parameter, round(frame * self._step * 1e9))

    def logged(self, robot: Robot, frame: int, entry: LogEntry) -> None:
        """It is in the log."""
        self._topics.add(robot, entry, round(frame * self._step * 1e9))
