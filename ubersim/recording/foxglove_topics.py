"""What a log holds for viewers, beside the blocks: drawn from them, at a rate that is enough for eyes."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.lidar import LidarSensor
from ubersim.recording import scene
from ubersim.recording.block import Block
from ubersim.recording.colors import Colors
from ubersim.recording.event import RecordedEvent
from ubersim.recording.file import LogWriter
from ubersim.recording.latencies import latencies_in
from ubersim.recording.transforms import Transforms
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

RATE = 25.0
"""Messages per second of simulated time and topic."""
_MOST_VALUES = 64
"""Readings with more numbers than that are not plotted."""


class FoxgloveTopics:
    """Writes messages of foxglove's schemas into a log."""

    def __init__(self, simulation: Simulation, writer: LogWriter) -> None:
        self._simulation = simulation
        self._writer = writer
        self._period = max(1, round(1.0 / (RATE * simulation.step_size)))
        self._stale = True
        self._transforms = Transforms([])
        self._properties: dict[tuple[str, str], dict[int, str]] = {}
        self._colors = Colors()
        self._robots: dict[str, Robot] = {}
        """Those who were there when the block that comes next began."""

    def recorded(self, event: RecordedEvent, robot: Robot | None, nanoseconds: int) -> None:
        """Something that people want to read; where robots come or go, everything is drawn anew with the next block."""
        if robot is not None and event.kind == "joined":
            self._robots[robot.name] = robot
        elif event.kind == "left":
            del self._robots[event.robot]
        if event.kind in ("joined", "restored"):
            self._colors.now = {
                (name, solid): color for name, one in self._robots.items() for solid, color in one.colors().items()
            }
        for component, properties in event.properties.items():
            names = {number: name for name, number in properties.items()}
            self._properties[event.robot, component] = names
        self._stale = self._stale or event.kind in ("joined", "left", "restored")
        self._writer.add("/events", scene.TEXT, nanoseconds, scene.text(event.described, nanoseconds))

    def block(self, block: Block) -> None:
        """The poses, readings and commands of a block."""
        if self._stale:
            self._population(block)
        self._poses(block)
        self._paint(block)
        self._readings(block)
        chosen = block.settings[self._first_of_each(block.settings, block.settings["property"])]
        for frame, component, number, value in chosen.tolist():
            robot, name = block.components[component]
            self._value(f"/{robot}/{name}/{self._properties[robot, name][number]}", frame, [value])
        self._latencies(block)

    def _population(self, block: Block) -> None:
        now = self._nanoseconds(block.first)
        self._transforms = Transforms([scene.frame_id(robot, body) for robot, body in block.bodies])
        everything = scene.scene(self._simulation.description, self._robots.values(), self._colors, now)
        self._writer.add("/scene", scene.SCENE, now, everything)
        self._stale = False

    def _poses(self, block: Block) -> None:
        if not block.bodies:
            return
        _, shown = np.unique(block.sampled // self._period, return_index=True)
        times = np.array([self._nanoseconds(frame) for frame in block.sampled[shown].tolist()], dtype=np.int64)
        for now, message in zip(times.tolist(), self._transforms.messages(times, block.states[shown]), strict=True):
            self._writer.add("/tf", scene.TRANSFORMS, now, message)

    def _paint(self, block: Block) -> None:
        """Solids whose colours were commanded."""
        solids = {index for index, component in enumerate(block.components) if component in self._colors.now}
        commands = [command for command in block.executed() if command[1] in solids] if solids else []
        for _, together in itertools.groupby(commands, key=lambda command: command[0] // self._period):
            painted: dict[str, set[str]] = {}
            for _, component, number, value in (last := list(together)):
                robot, solid = block.components[component]
                self._colors.execute((robot, solid), number, value)
                painted.setdefault(robot, set()).add(solid)
            now = self._nanoseconds(last[-1][0])
            for robot, names in painted.items():
                if robot in self._robots:  # else it came and went in one frame
                    message = scene.repainted(self._robots[robot], names, self._colors, now)
                    self._writer.add("/scene", scene.SCENE, now, message)

    def _readings(self, block: Block) -> None:
        ends = np.cumsum(block.readings["size"], dtype=np.int64)
        for i in self._first_of_each(block.readings).tolist():
            frame, component, size, picture = block.readings[i].tolist()
            robot, name = block.components[component]
            if not picture and robot in self._robots:  # else it came and went in one frame
                self._reading(self._robots[robot], name, frame, block.payloads[ends[i] - size : ends[i]])

    def _latencies(self, block: Block) -> None:
        """Those that took effect; a sensor of that name keeps its topic."""
        for change in latencies_in(block):
            there = self._robots.get(change.robot)
            if there is not None and (change.sensor or "latency" not in there.sensors):
                self._value(change.topic, change.frame, list(change.values))

    def _first_of_each(self, entries: NDArray[np.void], number: NDArray[np.uint32] | int = 0) -> NDArray[np.int64]:
        """Where the first entry of every period and component, or property of one, is."""
        if not len(entries):
            return np.empty(0, dtype=np.int64)
        periods = entries["frame"] // self._period
        keys = entries["component"].astype(np.int64) << 40 | (np.asarray(number, dtype=np.int64) & 0xFFFFF) << 20
        _, first = np.unique(keys + (periods - periods[0]), return_index=True)
        return np.sort(first)

    def _reading(self, robot: Robot, name: str, frame: int, payload: bytes) -> None:
        about = robot.sensors[name].description
        kind = np.dtype(about.dtype)
        if about.stamped:
            payload = payload[8:]
        if kind.fields is not None or len(payload) % kind.itemsize:
            return  # a table
        values = np.frombuffer(payload, kind)
        if isinstance(about, LidarSensor):
            body = next(body for body in robot.description.bodies if about in body.sensors)
            place, now = body.seen_from_center(about), self._nanoseconds(frame)
            message = scene.scan(scene.frame_id(robot.name, body.name), place, about.angles(), values, now)
            self._writer.add(f"/{robot.name}/{name}", scene.SCAN, now, message)
        elif 0 < len(values) <= _MOST_VALUES:
            self._value(f"/{robot.name}/{name}", frame, values.tolist())

    def _value(self, topic: str, frame: int, values: list[float]) -> None:
        # JSON knows no infinity.
        plain = [repr(value) if math.isfinite(value) else "null" for value in values]
        content = f'{{"value":{plain[0]}}}' if len(plain) == 1 else f'{{"values":[{",".join(plain)}]}}'
        self._writer.add(topic, scene.VALUES, self._nanoseconds(frame), content.encode())

    def _nanoseconds(self, frame: int) -> int:
        return round(frame * self._simulation.step_size * 1e9)
