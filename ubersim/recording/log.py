"""A log that was recorded: what is in it, in order, or where everything was at some time.

In a program:

    with Log("run.mcap") as log:
        for instant in log.play(speed=-2.0):     # backwards, twice as fast as it was
            print(instant.time, instant.poses["Segway", "MainBody"])
        print(log.at(12.5).poses)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ubersim.description.messages import printable
from ubersim.errors import UberSimError
from ubersim.physics import validation
from ubersim.recording.block import TOPIC as BLOCKS
from ubersim.recording.block import Block
from ubersim.recording.chunks import Chunks
from ubersim.recording.damage import damage
from ubersim.recording.event import TOPIC as EVENTS
from ubersim.recording.event import RecordedEvent
from ubersim.recording.file import FORMAT
from ubersim.recording.interpolation import between
from ubersim.simulation.snapshot import Snapshot

Item = RecordedEvent | Block


@dataclass(frozen=True)
class LogInstant:
    """Where everything was."""

    frame: int
    """As the log counts frames; the states are those of this frame."""
    time: float
    """[s]"""
    states: dict[tuple[str, str], NDArray[np.float64]]
    """By robot and body: position, quaternion (w first), velocity, angular velocity. Free objects have no robot."""

    @property
    def poses(self) -> dict[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Position of the centre of mass [m] and quaternion of every body."""
        return {name: (state[:3], state[3:7]) for name, state in self.states.items()}


class Log:
    """Random access to a log, whether or not its writer came to its end."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._chunks = Chunks(self.path)
        self.complete = self._chunks.complete
        """False: the writer was killed, and the log ends with the last chunk that it had written."""
        facts = self._chunks.metadata.get("ubersim")
        places = self._chunks.times(BLOCKS)
        if facts is None or not places:
            what = "is no log of ÜberSim" if facts is None else "ends before its first chunk"
            raise UberSimError(f"{path} {what}")
        if facts.get("format") != FORMAT:
            raise UberSimError(f"{path} is of format {facts.get('format')!r:.40}; this program reads {FORMAT}")
        self.facts = {printable(name): printable(value) for name, value in facts.items()}
        """Step, seed, versions, as text."""
        with damage(self.path, "its metadata"):
            self.step = validation.number("step", float(facts["step"]), *validation.STEPS)
            """Length of a frame [s]."""
            self.seed = int(facts["seed"])
            """Of all noise and all random latencies."""
        # A recording has a block in every chunk; tools that pack it anew may put several into one.
        self._chunk_of = [chunk for chunk, _ in places]
        self._starts = [time for _, time in places]
        self._read = lru_cache(maxsize=4)(self._chunk)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self._chunks.close()

    # What the run began with

    @property
    def world(self) -> str:
        """The world file."""
        return self._text("world.xml")

    @property
    def materials(self) -> str:
        """The materials file."""
        return self._text("materials.yaml")

    @property
    def start(self) -> Snapshot:
        """The state when recording began."""
        with damage(self.path, "its first snapshot"):
            return Snapshot.from_bytes(self._chunks.attachments["start.npz"])

    def _text(self, name: str) -> str:
        with damage(self.path, name):
            return self._chunks.attachments[name].decode()

    # What happened

    def items(self) -> Iterator[Item]:
        """Events and blocks, in order: each goes on where the one before it ended."""
        now = self.first
        for chunk in range(len(self._chunks.places)):
            for item in self._read(chunk):
                start, end = (item.first, item.end) if isinstance(item, Block) else (item.frame, item.frame)
                if start != now:
                    raise UberSimError(f"{self.path}: after frame {now} it goes on with frame {start}")
                now = end
                yield item

    def events(self, chunk: int | None = None) -> Iterator[tuple[int, int, RecordedEvent]]:
        """All events, or those of a chunk: the chunk, and the number of the block that comes after each.

        Chunks without events are not read.
        """
        every = (number for number, _ in self._chunks.times(EVENTS))
        for place in dict.fromkeys(every) if chunk is None else [chunk]:
            number = bisect_left(self._chunk_of, place)
            for item in self._read(place):
                if isinstance(item, Block):
                    number += 1
                else:
                    yield place, number, item

    def pictures(self, number: int) -> dict[tuple[str, int], bytes]:
        """The messages with pictures that came with a block, by topic and frame; blocks count from 0."""
        own = {BLOCKS, EVENTS}
        with damage(self.path, f"the place of block {number}"):
            chunk = self._chunk_of[number]
        messages = self._chunks.messages(chunk)
        found = ((self._chunks.topic(message), message) for message in messages)
        return {(topic, self._frame(message.log_time)): message.data for topic, message in found if topic not in own}

    def topics(self, schemas: Collection[str]) -> list[str]:
        """Those whose messages have one of these schemas."""
        named = self._chunks.schemas
        found = (topic for channel, topic in self._chunks.topics.items() if named.get(channel) in schemas)
        return list(dict.fromkeys(found))

    def places(self, topic: str) -> list[tuple[int, int]]:
        """Of every message of a topic, the number of its chunk and its frame."""
        return [(chunk, self._frame(time)) for chunk, time in self._chunks.times(topic)]

    def messages(self, chunk: int) -> list[tuple[str, int, bytes]]:
        """All of a chunk, in the order in which they were written: topic, frame, bytes."""
        found = self._chunks.messages(chunk)
        return [(self._chunks.topic(message), self._frame(message.log_time), message.data) for message in found]

    @cached_property
    def first(self) -> int:
        """The frame in which recording began."""
        return self.block(0).first

    @cached_property
    def last(self) -> int:
        """The last frame that is known."""
        return self.block(len(self._starts) - 1).end

    @property
    def size(self) -> int:
        """Of the file [bytes]."""
        return self._chunks.size

    # Where everything was

    def at(self, time: float) -> LogInstant:
        """The newest state that was kept at or before `time` [s]; outside the log, the first or the last."""
        return self._instant(*self._kept(self._frame_at(time)))

    def between(self, time: float) -> LogInstant:
        """The state of the frame at `time` [s]; if it was not kept, what those before and after it make likely."""
        frame = min(max(self._frame_at(time), self.first), self.last)
        block, sample = self._kept(frame)
        if frame == block.sampled[sample] or sample + 1 == len(block.sampled):
            return replace(self._instant(block, sample), frame=frame, time=frame * self.step)
        begin, end = (int(number) for number in block.sampled[sample : sample + 2])
        share, seconds = (frame - begin) / (end - begin), (end - begin) * self.step
        states = between(block.states[sample], block.states[sample + 1], share, seconds)
        return LogInstant(frame, frame * self.step, dict(zip(block.bodies, states, strict=True)))

    def instants(self, *, backwards: bool = False) -> Iterator[LogInstant]:
        """Every state that was kept; where bodies came or went, the frame comes once before and once after that."""
        numbers = range(len(self._starts))
        for number in reversed(numbers) if backwards else numbers:
            block = self.block(number)
            samples = range(len(block.sampled))
            for sample in reversed(samples) if backwards else samples:
                yield self._instant(block, sample)

    def play(self, speed: float = 1.0, *, rate: float = 30.0, begin: float | None = None) -> Iterator[LogInstant]:
        """What a viewer shows at `rate` pictures per second of its own time, from `begin` [s]; negative: backwards."""
        if not speed:
            raise UberSimError("at speed 0 nothing is played; use `at`")
        low, high = self.first * self.step, self.last * self.step
        begin = (low if speed > 0 else high) if begin is None else min(max(begin, low), high)
        for count in range(int((high - begin if speed > 0 else begin - low) * rate / abs(speed) + 1e-6) + 1):
            yield self.at(begin + count * speed / rate)

    def _frame_at(self, time: float) -> int:
        return self.first if time <= self.first * self.step else int(np.floor(time / self.step + 1e-6))

    def _kept(self, frame: int) -> tuple[Block, int]:
        """The block that a frame is in, and the newest of its samples then."""
        block = self.block(self.block_at(frame))
        return block, max(0, int(np.searchsorted(block.sampled, frame, "right")) - 1)

    def _instant(self, block: Block, sample: int) -> LogInstant:
        frame = int(block.sampled[sample])
        return LogInstant(frame, frame * self.step, dict(zip(block.bodies, block.states[sample], strict=True)))

    def block_at(self, frame: int) -> int:
        """The number of the block that this frame is in; before the first, that one."""
        return max(0, bisect_right(self._starts, self._nanoseconds(frame)) - 1)

    def block(self, number: int) -> Block:
        """One of the blocks; they count from 0."""
        chunk = self._chunk_of[number]
        blocks = [item for item in self._read(chunk) if isinstance(item, Block)]
        place = number - bisect_left(self._chunk_of, chunk)
        if place >= len(blocks):
            raise UberSimError(f"{self.path}: chunk {chunk} has {len(blocks)} blocks, and says that it has more")
        return blocks[place]

    def _chunk(self, number: int) -> list[Item]:
        items: list[Item] = []
        for message in self._chunks.messages(number):
            topic = self._chunks.topic(message)
            with damage(self.path, f"chunk {number}"):
                if topic == EVENTS:
                    items.append(RecordedEvent.decode(message.data))
                elif topic == BLOCKS:
                    items.append(Block.decode(message.data))
        return items

    def _nanoseconds(self, frame: int) -> int:
        return round(frame * self.step * 1e9)

    def _frame(self, nanoseconds: int) -> int:
        return round(nanoseconds / (self.step * 1e9))
