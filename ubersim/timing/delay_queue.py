"""Things under way: a queue that keeps each of them as long as its latency model says. No clock."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
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
        # frame of arrival, order of sending, the item, frame in which it was sent
        self._heap: list[tuple[int, int, T, int]] = []
        self.sent: list[int] = []
        """The frames in which those items were sent that `pop_due` returned last, in the same order."""
        self._lent: list[tuple[int, int, T, int]] = []
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
        self._drifts = model.order == "drift"
        self._keeps_order = model.order != "break"

    def __len__(self) -> int:
        return len(self._heap)

    def change(self, latency: float | LatencyModel) -> None:
        """From now on this model, or this delay [ms], with loss and order as before. What is under way stays so."""
        self._use(self.model.changed_to(latency), {})

    def arrival(self, sent_frame: int) -> int | None:
        """The frame at which something sent at `sent_frame` arrives, None if it is lost; draws, but queues nothing."""
        frame = sent_frame + self.minimum
        if not self._fixed:
            model, rng = self.model, self._rng
            if model.loss > 0.0 and rng.random() < model.loss:
                return None
            delay = self._drifted(sent_frame) if self._drifts else model.draw(rng, self._memory)
            if delay == math.inf:
                return None
            # Whatever a model draws, the minimum is a promise: others have gone ahead on the strength of it.
            frame = sent_frame + max(self.minimum, frames_in(min(delay, LONGEST_MS), self._step))
        if self._keeps_order and frame < self._latest:
            return self._latest
        self._latest = frame
        return frame

    def _drifted(self, sent_frame: int) -> float:
        memory = self._memory
        elapsed = 1000.0 * self._step * (sent_frame - memory.get("sent", sent_frame))
        memory["sent"] = sent_frame
        return self.model.drift(self._rng, memory, elapsed)

    def push(self, item: T, sent_frame: int) -> int | None:
        """Sends an item on its way; the frame at which it arrives, or None if it is lost."""
        frame = self.arrival(sent_frame)
        if frame is not None:
            self.put(item, frame, sent_frame)
        return frame

    def put(self, item: T, frame: int, sent_frame: int) -> None:
        """Sends an item on its way that arrives at this frame, as `arrival` has said."""
        heappush(self._heap, (frame, self._pushed, item, sent_frame))
        self._pushed += 1
        if frame < self.next_frame:
            self.next_frame = frame

    def pop_due(self, frame: int) -> list[T]:
        """Everything that has arrived by `frame`, by frame of arrival, then in the order in which it was pushed."""
        due: list[T] = []
        if self.next_frame > frame:
            return due
        heap, self.sent = self._heap, []
        while heap and heap[0][0] <= frame:
            _, _, item, sent = heappop(heap)
            due.append(item)
            self.sent.append(sent)
        self.next_frame = heap[0][0] if heap else NEVER
        return due

    def drop(self, from_frame: int, unwanted: Callable[[T], bool]) -> None:
        """Takes out what is unwanted of all that arrives at that frame or later."""
        self._heap = [entry for entry in self._heap if entry[0] < from_frame or not unwanted(entry[2])]
        heapify(self._heap)
        self.next_frame = self._heap[0][0] if self._heap else NEVER

    def lend(self, lendable: Callable[[T], bool]) -> list[tuple[int, int, T, int]] | None:
        """What is under way, in order, up to the first item that is not lendable; until `take_back`, it is not here.

        None if what is pushed from now on could depend on chance, or overtake.
        """
        entries = sorted(self._heap, key=lambda entry: entry[:2])
        in_order = all(one[1] < other[1] for one, other in pairwise(entries))
        if not self._fixed or not in_order or (entries and not self._keeps_order):
            return None
        count = next((place for place, entry in enumerate(entries) if not lendable(entry[2])), len(entries))
        self._lent, self._heap = entries[:count], entries[count:]
        self.next_frame = self._heap[0][0] if self._heap else NEVER
        return self._lent

    @property
    def plain(self) -> tuple[int, bool, int]:
        """What decides about the arrival of items where nothing is left to chance: minimum, order kept, the latest."""
        return self.minimum, self._keeps_order, self._latest

    def take_back(self, left: int, pushed: int, new: Sequence[tuple[int, T, int]], latest: int) -> None:
        """Of what was lent so many are left; `pushed` were pushed meanwhile, of which `new` are still under way.

        An item of these is its frame, itself, and the frame in which it was sent.
        """
        self._pushed += pushed
        self._latest = latest
        first = self._pushed - len(new)
        self._heap += self._lent[len(self._lent) - left :]
        self._heap += [(frame, first + place, item, sent) for place, (frame, item, sent) in enumerate(new)]
        self._lent = []
        heapify(self._heap)
        self.next_frame = self._heap[0][0] if self._heap else NEVER

    def under_way(self) -> list[tuple[int, T]]:
        """Frame of arrival and item, of all that are under way, in the order of their sending."""
        return [(frame, item) for frame, _, item, _ in sorted(self._heap, key=lambda entry: entry[1])]

    def journeys(self) -> list[tuple[int, int, T]]:
        """Frame of sending, frame of arrival and item, of all that are under way, in the order of their sending."""
        return [(sent, frame, item) for frame, _, item, sent in sorted(self._heap, key=lambda entry: entry[1])]

    def state(self, encode: Callable[[T], Any] = _same) -> dict[str, Any]:
        """Everything that decides about the future, as plain data; `encode` makes plain data of an item."""
        return {
            "model": self.model.to_dict(),
            "memory": copy.deepcopy(self._memory),
            "items": [
                [frame, number, encode(item), sent]
                for frame, number, item, sent in sorted(self._heap, key=lambda entry: entry[:2])
            ],
            "pushed": self._pushed,
            "latest": self._latest,
            "random": self._rng.bit_generator.state,
        }

    def restore(self, state: dict[str, Any], decode: Callable[[Any], T] = _same) -> None:
        """Goes on from where `state` was taken; `decode` undoes its `encode`."""
        self._use(LatencyModel.from_dict(state["model"], self._given), copy.deepcopy(state["memory"]))
        # Older snapshots do not say when things were sent.
        items = ((frame, number, item, sent[0] if sent else frame) for frame, number, item, *sent in state["items"])
        self._heap = [(frame, number, decode(item), sent) for frame, number, item, sent in items]
        self._pushed = state["pushed"]
        self._latest = state["latest"]
        self._rng.bit_generator.state = state["random"]
        self.next_frame = self._heap[0][0] if self._heap else NEVER
