"""Delay as a pure object: models that say how late something is, and a queue that keeps it that long. No clock."""

from __future__ import annotations

import copy
import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from heapq import heappop, heappush
from typing import Any, ClassVar, Generic, Literal, TypeVar

from numpy.random import PCG64, Generator

T = TypeVar("T")
Order = Literal["keep", "break"]

NEVER = 1 << 62
"""A frame that no run reaches."""
LONGEST_MS = 60_000.0
"""The longest latency that a model may promise [ms]: what is under way has to fit into memory."""


def frames_in(milliseconds: float, step: float) -> int:
    """A duration in whole frames, rounded up; what is a whole number but for floating point noise counts as whole."""
    # Commands carry latencies in single precision: 20.1 ms arrives as 20.1000004.
    return _round_up(milliseconds / (1000.0 * step), 1.2e-7)


def frame_at(time: float, step: float) -> int:
    """The first frame at or after `time` [s], within a millionth of a frame; time == frame * step is that frame."""
    return _round_up(time / step, 1e-15)


def last_frame_at(time: float, step: float) -> int:
    """The last frame at or before `time` [s], as exact as `frame_at`."""
    return -frame_at(-time, step)


def _round_up(frames: float, relative: float) -> int:
    if not -NEVER < frames < NEVER:
        return NEVER if frames > 0 else -NEVER
    nearest = round(frames)
    # The quotient is off by an ulp or two; the clock of a client that sums up steps is off by far more.
    if abs(frames - nearest) <= max(1e-6, relative * abs(frames)):
        return nearest
    return math.ceil(frames)


def generator(seed: int, *names: str) -> Generator:
    """The generator of one source of chance, from the run's seed and the source's names; the same on every machine."""
    key = json.dumps([seed, *names]).encode()
    return Generator(PCG64(int.from_bytes(hashlib.blake2b(key, digest_size=16).digest(), "little")))


@dataclass(frozen=True, kw_only=True)
class LatencyModel(ABC):
    """How long things take, and whether they arrive at all. A frozen dataclass; its fields are what documents say."""

    kind: ClassVar[str]
    """What documents call it, and snapshots."""

    loss: float = 0.0
    """Probability that an item never arrives."""
    seed: int | None = None
    """Seed of this model's own draws; None: the run's seed."""
    order: Order = "keep"
    """`keep`: nothing overtakes what was sent before it; `break`: each item comes when its own delay is over."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.loss <= 1.0:
            raise ValueError(f"loss must be between 0 and 1, not {self.loss}")
        if self.order not in ("keep", "break"):
            raise ValueError(f"order must be keep or break, not {self.order!r}")
        self.check()
        check_range("smallest latency", self.minimum)

    @property
    @abstractmethod
    def minimum(self) -> float:
        """No draw is smaller [ms]: by so much the server may run ahead of a client's acknowledgements."""

    @property
    def longest(self) -> float:
        """What a draw practically never exceeds [ms]: for so long there has to be memory."""
        return LONGEST_MS

    @abstractmethod
    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        """The delay of one item [ms]; infinite if it never arrives.

        `memory` is empty at first and this model's own, to keep what decides about later draws, as plain JSON values.
        """

    def check(self) -> None:
        """Refuses parameters that make no sense, with a ValueError."""
        return None

    def generator(self, seed: int, *names: str) -> Generator:
        """The generator for this model's draws: from its own seed if it has one, else from the run's."""
        return generator(seed if self.seed is None else self.seed, *names)

    def to_dict(self) -> dict[str, Any]:
        """The model as plain data."""
        return {"kind": self.kind, **asdict(self)}

    @staticmethod
    def from_dict(data: dict[str, Any], *others: type[LatencyModel]) -> LatencyModel:
        """The model that `to_dict` wrote: one of this module's, or of `others`."""
        parameters = dict(data)
        known: list[type[LatencyModel]] = [Constant, Uniform, Normal, *others]
        kinds: dict[str, Callable[..., LatencyModel]] = {model.kind: model for model in known}
        return kinds[parameters.pop("kind")](**parameters)


@dataclass(frozen=True)
class Constant(LatencyModel):
    """Always the same delay."""

    kind: ClassVar[str] = "constant"

    value: float = 0.0
    """The delay [ms]."""

    @property
    def minimum(self) -> float:
        return self.value

    @property
    def longest(self) -> float:
        return self.value

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        return self.value

    def check(self) -> None:
        check_range("latency", self.value)


@dataclass(frozen=True)
class Uniform(LatencyModel):
    """Any delay between two bounds is as likely as any other."""

    kind: ClassVar[str] = "uniform"

    min: float
    """The smallest delay [ms]."""
    max: float
    """The largest delay [ms]."""

    @property
    def minimum(self) -> float:
        return self.min

    @property
    def longest(self) -> float:
        return self.max

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        # min + (max - min) * u may round to just below min.
        return max(self.min, rng.uniform(self.min, self.max))

    def check(self) -> None:
        check_range("smallest latency", self.min)
        check_range("largest latency", self.max)
        if self.max < self.min:
            raise ValueError(f"Max {self.max:g} is below Min {self.min:g}")


@dataclass(frozen=True)
class Normal(LatencyModel):
    """A bell curve, cut off below: what would be faster than the floor takes as long as the floor."""

    kind: ClassVar[str] = "normal"

    mean: float
    """Centre of the curve [ms]."""
    sigma: float
    """Its standard deviation [ms]."""
    min: float = 0.0
    """The floor [ms]."""

    @property
    def minimum(self) -> float:
        return self.mean if self.sigma == 0.0 and self.mean > self.min else self.min

    @property
    def longest(self) -> float:
        return max(self.min, self.mean + 6 * self.sigma)

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        return max(self.min, rng.normal(self.mean, self.sigma))

    def check(self) -> None:
        check_range("mean latency", self.mean)
        check_range("sigma of the latency", self.sigma)
        check_range("smallest latency", self.min)


def check_range(what: str, milliseconds: float) -> None:
    """Refuses what is no latency, with a ValueError."""
    if not 0.0 <= milliseconds <= LONGEST_MS:
        raise ValueError(f"the {what} must be between 0 and {LONGEST_MS:g} ms, not {milliseconds:g}")


def _same(item: Any) -> Any:
    return item


class DelayQueue(Generic[T]):
    """Items under way. What goes in at one frame comes out at a later one, as late as the model says."""

    def __init__(self, model: LatencyModel, step: float, rng: Generator) -> None:
        self.next_due = NEVER
        """Frame of the earliest item; `NEVER` while nothing is under way."""
        self._step = step
        self._rng = rng
        self._heap: list[tuple[int, int, T]] = []
        self._pushed = 0
        self._latest = -NEVER
        self._given = type(model)
        self._use(model, {})

    def _use(self, model: LatencyModel, memory: dict[str, Any]) -> None:
        self.model = model
        self._memory = memory
        self.minimum = frames_in(model.minimum, self._step)
        """No item is under way for less than this [frames]."""
        self._fixed = isinstance(model, Constant) and model.loss == 0.0
        self._keeps_order = model.order == "keep"

    def __len__(self) -> int:
        return len(self._heap)

    def set_constant(self, milliseconds: float) -> None:
        """From now on this delay; loss and order stay as they are, and so does what is already under way."""
        model = self.model
        self._use(Constant(milliseconds, loss=model.loss, seed=model.seed, order=model.order), {})

    def arrival(self, sent_frame: int) -> int | None:
        """The frame at which something sent at `sent_frame` arrives, None if it is lost; draws, but queues nothing."""
        frame = sent_frame + self.minimum
        if not self._fixed:
            model, rng = self.model, self._rng
            if model.loss > 0.0 and rng.random() < model.loss:
                return None
            delay = model.draw(rng, self._memory)
            if delay == math.inf:
                return None
            # Whatever a model draws, the minimum is a promise: others have gone ahead on the strength of it.
            frame = sent_frame + max(self.minimum, frames_in(min(delay, LONGEST_MS), self._step))
        if self._keeps_order and frame < self._latest:
            return self._latest
        self._latest = frame
        return frame

    def push(self, item: T, sent_frame: int) -> int | None:
        """Sends an item on its way; the frame at which it arrives, or None if it is lost."""
        frame = self.arrival(sent_frame)
        if frame is not None:
            heappush(self._heap, (frame, self._pushed, item))
            self._pushed += 1
            if frame < self.next_due:
                self.next_due = frame
        return frame

    def pop_due(self, frame: int) -> list[T]:
        """Everything that has arrived by `frame`, by frame of arrival, then in the order in which it was pushed."""
        due: list[T] = []
        if self.next_due > frame:
            return due
        heap = self._heap
        while heap and heap[0][0] <= frame:
            due.append(heappop(heap)[2])
        self.next_due = heap[0][0] if heap else NEVER
        return due

    def state(self, encode: Callable[[T], Any] = _same) -> dict[str, Any]:
        """Everything that decides about the future, as plain data; `encode` makes plain data of an item."""
        return {
            "model": self.model.to_dict(),
            "memory": copy.deepcopy(self._memory),
            "items": [[frame, number, encode(item)] for frame, number, item in sorted(self._heap, key=lambda e: e[:2])],
            "pushed": self._pushed,
            "latest": self._latest,
            "random": self._rng.bit_generator.state,
        }

    def restore(self, state: dict[str, Any], decode: Callable[[Any], T] = _same) -> None:
        """Goes on from where `state` was taken; `decode` undoes its `encode`."""
        self._use(LatencyModel.from_dict(state["model"], self._given), copy.deepcopy(state["memory"]))
        self._heap = [(frame, number, decode(item)) for frame, number, item in state["items"]]
        self._pushed = state["pushed"]
        self._latest = state["latest"]
        self._rng.bit_generator.state = state["random"]
        self.next_due = self._heap[0][0] if self._heap else NEVER
