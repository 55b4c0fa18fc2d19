"""Writes down what happens in a simulation, completely enough to let it happen again to the bit.

In a program:

    with Recorder(simulation, "run.mcap"):
        simulation.step(1000)
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.camera import Optics
from ubersim.description.token import without_token
from ubersim.errors import UberSimError
from ubersim.physics.state_hashes import StateHashes
from ubersim.protocol.log_entries import LogEntry
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.protocol.parameters import Declaration
from ubersim.protocol.properties import CLIENT_PROPERTIES
from ubersim.recording.block import COMMAND, ENCODING, PAYLOAD, READING, STATE, Block, bodies_of, state_of
from ubersim.recording.block import TOPIC as BLOCKS
from ubersim.recording.event import TOPIC as EVENTS
from ubersim.recording.event import Kind, RecordedEvent
from ubersim.recording.file import LogWriter, Schema, circumstances
from ubersim.recording.foxglove_topics import FoxgloveTopics
from ubersim.recording.program_topics import ProgramTopics
from ubersim.recording.scene import IMAGE, frame_id, image, pixels_of
from ubersim.simulation import Simulation
from ubersim.simulation.applied_force import AppliedForce
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import CLIENT, Command, Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.timing.latency import LatencyModel

POSE_RATE = 100.0
"""States that are kept per second of simulated time, unless the caller wants more."""
_BLOCK_SECONDS = 1.0
_MOST_WORDS = 1 << 20
"""Fingerprints in one block: 4 MiB."""
_MOST_BYTES = 1 << 22
"""Readings and states in one block."""

BLOCK_SCHEMA = Schema("ubersim.Block", messages=ENCODING)
EVENT_SCHEMA = Schema("ubersim.Happening", "jsonschema", b'{"type":"object"}')


class Recorder(Observer):
    """The observer of one simulation, from its making, in whatever frame that is, to `close`."""

    hears_programs = True

    def __init__(
        self,
        simulation: Simulation,
        path: str | Path,
        *,
        poses: int | None = None,
        images: int = 0,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Keeps the states of frames that are multiples of `poses`, and of each camera every `images`-th picture.

        If no more can be written, because the disk is full, `failed` is told why, and the simulation goes on without a
        log; without it, that is an error.
        """
        if any(isinstance(observer, Recorder) for observer in simulation.observers):
            raise UberSimError("this simulation is being recorded already")
        self._simulation = simulation
        self._every = poses or max(1, round(1.0 / (POSE_RATE * simulation.step_size)))
        self._images = images
        self._pictures: dict[tuple[str, str], int] = {}
        start, documents = simulation.snapshot(), documents_of(simulation)
        self._writer = LogWriter(Path(path), failed)
        documents["start.npz"] = ("application/octet-stream", _public(start).to_bytes())
        facts = {"step": repr(simulation.step_size), "seed": str(simulation.seed), "frame": str(simulation.frame)}
        facts["world"] = simulation.description.title
        self._writer.describe(circumstances() | facts, documents)
        self._view = FoxgloveTopics(simulation, self._writer)
        self._programs = ProgramTopics(self._writer)
        self._shift = 0
        """What the log's frame numbers have to be lowered by to be the simulation's: they never go back."""
        self._failed_solves = simulation.world.failed_solves
        self._sampled: list[int] = []
        self._states: list[NDArray[np.float64]] = []
        self._clear()
        for robot in simulation.robots.values():
            self._record_event("joined", robot)
        self._begin()
        for robot in simulation.robots.values():
            self._latencies_of(robot)
            for parameter in robot.parameters.now():
                self.declared(robot, simulation.frame, parameter)
        self._sensed_now()
        simulation.observers.append(self)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Writes the rest, and looks no more."""
        if self in self._simulation.observers:
            self._simulation.observers.remove(self)
            self._cut()
            self._begin()
            self._write(self._frame)  # one more block, of no length: the last state
            self._tape.stop()
            self._writer.close()

    # What the simulation tells

    def begun(self, frame: int) -> None:
        """Keeps the state, and ends the block if it is large enough."""
        now = frame + self._shift
        if now >= self._ends or self._size > _MOST_BYTES:
            self._cut()
            self._begin()
        else:
            self._sample(now)
        self.next_frame = min(frame - frame % self._every + self._every, self._ends - self._shift)

    def joined(self, robot: Robot) -> None:
        """Begins a block with more bodies."""
        self._cut()
        self._record_event("joined", robot)
        self._begin()
        self._latencies_of(robot)
        self.sensed(robot)

    def left(self, robot: Robot) -> None:
        """Begins a block with fewer bodies."""
        self._cut(readings=True)
        self._record_event("left", robot)
        self._begin()

    def exploded(self) -> None:
        """A step was tried in vain, which a replay has to try as well."""
        self._cut()
        self._record_event("exploded")
        self._begin()

    def pushed(self, force: AppliedForce) -> None:
        """A force is an input like any other."""
        self._cut()
        self._record_event("pushed", arguments=force.state())
        self._begin()

    def intervened(self, verb: str, arguments: Mapping[str, Any]) -> None:
        """a supervisor's command is done; the state may be another."""
        self._cut()
        self._record_event("intervened", label=verb, arguments=dict(arguments))
        self._begin()

    def objects_reset(self) -> None:
        """The state changes in the midst of a frame."""
        self._cut()
        self._record_event("reset")
        self._begin()

    def restoring(self) -> None:
        """What robots hear when they join from here on is never sent."""
        self._cut(readings=True)
        self._record_event("restoring")
        self._begin()

    def restored(self, snapshot: Snapshot, before: int) -> None:
        """The state changes, and the simulation's time; the log's time goes on."""
        end = before + self._shift
        self._cut(end, readings=True)
        self._shift = end - self._simulation.frame
        self._record_event("restored", snapshot=base64.b64encode(_public(snapshot).to_bytes()).decode())
        self._begin()
        for robot in self._simulation.robots.values():
            self._latencies_of(robot)
        self._sensed_now()

    def logged(self, robot: Robot, frame: int, entry: LogEntry) -> None:
        """For people alone: a replay needs nothing of it."""
        self._size += self._programs.add(robot, entry, self._nanoseconds(frame + self._shift))

    def declared(self, robot: Robot, frame: int, parameter: Declaration) -> None:
        """The same, for parameters that programs have."""
        self._size += self._programs.declare(robot, parameter, self._nanoseconds(frame + self._shift))

    def marked(self, label: str) -> None:
        """Keeps the label where it belongs among the rest."""
        self._cut()
        self._record_event("marked", label=label)
        self._begin()

    def executed(self, robot: Robot, commands: Sequence[Command]) -> None:
        """Keeps the commands."""
        frame, now = self._frame, self._simulation.frame
        own = robot.commands.due_frame == now  # else a supervisor's, which come at once
        self._command_delays += [now - sent for sent in robot.commands.sent] if own else [0] * len(commands)
        for component, number, value in commands:
            if isinstance(value, bytes):
                self._actuations += value
                self._size += len(value)
                number, value = PAYLOAD, len(value)
            self._commands.append((frame, self._component(robot.name, component), number, value))

    def latency_changed(self, robot: Robot, sensor: str, latency: LatencyModel) -> None:
        """Keeps it with the frame from which it holds."""
        self._latencies.append((self._frame, robot.name, sensor, latency.to_dict()))

    def _latencies_of(self, robot: Robot) -> None:
        """Those that it has when it comes."""
        self.latency_changed(robot, "", robot.commands.latency)
        for name, channel in robot.sensors.items():
            self.latency_changed(robot, name, channel.latency)

    def sensed(self, robot: Robot) -> None:
        """Keeps the readings; of pictures only those that are wanted."""
        frame, now = self._frame, self._simulation.frame
        self._reading_delays += [now - captured for captured in robot.captured]
        for name, payload in robot.readings:
            whole = len(payload)
            about = robot.sensors[name].description
            if isinstance(about, Optics):
                payload = self._without_picture(robot, about, payload)
            kept = len(payload)
            self._readings.append((frame, self._component(robot.name, name), kept, whole - kept))
            self._payloads.append(payload)
            self._size += kept

    def _sensed_now(self) -> None:
        """Keeps what was delivered in this frame before the recorder was there."""
        for robot in self._simulation.robots.values():
            if robot.sensed == self._simulation.frame:
                self.sensed(robot)

    def _without_picture(self, robot: Robot, camera: Optics, payload: bytes) -> bytes:
        size = camera.width * camera.height * pixels_of(camera)[1]
        if len(payload) < size:
            return payload  # a list of what is in sight
        key = robot.name, camera.name
        count = self._pictures.get(key, 0)
        self._pictures[key] = count + 1
        if self._images and count % self._images == 0:
            now = self._nanoseconds(self._frame)
            message = image(camera, frame_id(*key), payload[-size:], now)
            self._writer.add(f"/{robot.name}/{camera.name}", IMAGE, now, message)
            self._size += size
        return payload[:-size]

    # Blocks

    def _begin(self) -> None:
        """From here on, another block."""
        simulation = self._simulation
        world, self._first = simulation.world, self._frame
        self._bodies = bodies_of(simulation)
        longest = max(1, min(round(_BLOCK_SECONDS / simulation.step_size), _MOST_WORDS // max(1, len(self._bodies))))
        self._ends = self._first + longest
        self.next_frame = min(simulation.frame - simulation.frame % self._every + self._every, self._ends - self._shift)
        self._tape = StateHashes(world, longest)
        self._sampled, self._states = [], []
        self._sample(self._first)

    def _sample(self, frame: int) -> None:
        state = state_of(self._simulation.world)
        self._sampled.append(frame)
        self._states.append(state)
        self._size += state.nbytes

    def _cut(self, end: int | None = None, *, readings: bool = False) -> None:
        """Ends the block, unless nothing has happened in it.

        Readings of a first frame stay for the next one, unless it matters that they came before what happens now.
        """
        end = self._frame if end is None else end
        if end > self._first or self._commands or (readings and self._readings):
            self._write(end)

    def _write(self, end: int) -> None:
        block = Block(
            first=self._first,
            end=end,
            bodies=self._bodies,
            components=list(self._components),
            fingerprints=self._tape.take(),
            sampled=np.array(self._sampled, dtype=np.int64),
            states=np.array(self._states).reshape(len(self._sampled), len(self._bodies), STATE),
            commands=np.array(self._commands, dtype=COMMAND),
            readings=np.array(self._readings, dtype=READING),
            payloads=b"".join(self._payloads),
            actuations=np.frombuffer(bytes(self._actuations), dtype=np.uint8),
            command_delays=np.array(self._command_delays, dtype=np.uint32),
            reading_delays=np.array(self._reading_delays, dtype=np.uint32),
            latencies=self._latencies,
        )
        self._writer.add(BLOCKS, BLOCK_SCHEMA, self._nanoseconds(self._first), block.encode())
        self._view.block(block)
        self._record_failed_solves(end)
        self._writer.flush()
        self._clear()

    def _clear(self) -> None:
        self._commands: list[tuple[int, int, int, float]] = []
        self._actuations = bytearray()
        self._command_delays: list[int] = []
        self._reading_delays: list[int] = []
        self._latencies: list[tuple[int, str, str, dict[str, Any]]] = []
        self._readings: list[tuple[int, int, int, int]] = []
        self._payloads: list[bytes] = []
        self._components: dict[tuple[str, str], int] = {}
        self._size = 0

    def _component(self, robot: str, name: str) -> int:
        return self._components.setdefault((robot, name), len(self._components))

    def _record_event(self, kind: Kind, robot: Robot | None = None, **details: Any) -> None:
        frame = self._frame
        event = RecordedEvent(frame, kind, **details) if robot is None else event_about(robot, frame, kind)
        now = self._nanoseconds(frame)
        self._writer.add(EVENTS, EVENT_SCHEMA, now, event.encode())
        self._view.recorded(event, robot, now)

    def _record_failed_solves(self, frame: int) -> None:
        """What is seen of them only here: the results are sound, but came by a longer way."""
        before, self._failed_solves = self._failed_solves, self._simulation.world.failed_solves
        if self._failed_solves > before:
            event = RecordedEvent(frame, "unsolved", label=f"{self._failed_solves - before} failed solves")
            self._writer.add(EVENTS, EVENT_SCHEMA, self._nanoseconds(frame), event.encode())
            self._view.recorded(event, None, self._nanoseconds(frame))

    @property
    def _frame(self) -> int:
        """Now, as the log counts frames."""
        return self._simulation.frame + self._shift

    def _nanoseconds(self, frame: int) -> int:
        return round(frame * self._simulation.step_size * 1e9)


def event_about(robot: Robot, frame: int, kind: Kind) -> RecordedEvent:
    """What a log keeps of a robot that joins or leaves."""
    if kind != "joined":
        return RecordedEvent(frame, kind, robot.name)
    if not robot.description.source_text:
        raise UberSimError(f"{robot.name} cannot be recorded: it was not read from a document")
    properties = {name: dict(component.properties) for name, component in robot.components.items()}
    return RecordedEvent(
        frame,
        kind,
        robot.name,
        document=without_token(robot.description.source_text),
        position=robot.spawned_at.position.tolist(),
        rotation=robot.spawned_at.rotation.tolist(),
        introduction=introduction_of(robot),
        properties=properties | {CLIENT: dict(CLIENT_PROPERTIES)},
        payloads=[name for name, component in robot.components.items() if OWN_PAYLOAD in component.accepted],
    )


def _public(snapshot: Snapshot) -> Snapshot:
    robots = []
    for state in snapshot.robots:
        identity = {**state["identity"], "document": without_token(state["identity"]["document"])}
        robots.append({**state, "identity": identity})
    return replace(snapshot, robots=tuple(robots))


def documents_of(simulation: Simulation) -> dict[str, tuple[str, bytes]]:
    """The texts that the simulation was made from."""
    world, materials = simulation.description.source_text, simulation.materials.source_text
    if not world or not materials:
        raise UberSimError("a world and materials that were not read from documents cannot be recorded")
    texts = {"world.xml": ("application/xml", world), "materials.yaml": ("application/yaml", materials)}
    return {name: (media_type, text.encode()) for name, (media_type, text) in texts.items()}
