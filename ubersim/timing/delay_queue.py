"""Things under way: a queue that keeps each of them as long as its latency model says. No clock."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Generic, TypeVar

from numpy.random import Generator

from ubersim.timing.latency import LONGEST_MS, NEVER, Constant, LatencyModel, frames_in

T = TypeVar("T")


def _same(item: Any) -> Any:
    return item


class DelayQueue(Generic[T]):
    """Items under way. What goes in at one frame comes out at a later one, as late as the model says."""

    def __init__(self, model: LatencyModel, step: float, rng: Generator) -> None:
        self.next_frame = NEVER
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
            if frame < self.next_frame:
                self.next_frame = frame
        return frame

    def pop_due(self, frame: int) -> list[T]:
        """Everything that has arrived by `frame`, by frame of arrival, then in the order in which it was pushed."""
        due: list[T] = []
        if self.next_frame > frame:
            return due
        heap = self._heap
        while heap and heap[0][0] <= frame:
            due.append(heappop(heap)[2])
        self.next_frame = heap[0][0] if heap else NEVER
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
        self.next_frame = self._heap[0][0] if self._heap else NEVER
