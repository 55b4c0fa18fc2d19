"""Delay as a pure object: frames and durations, and the models that say how late something is. No clock."""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, get_args

from numpy.random import PCG64, Generator

Order = Literal["keep", "break", "drift"]
ORDERS: tuple[Order, ...] = get_args(Order)

NEVER = 1 << 62
"""A frame that no run reaches."""
LONGEST_MS = 60_000.0
"""The longest latency that a model may promise [ms]: what is under way has to fit into memory."""
FALL = 0.5
"""How fast delays that drift become shorter, at most [1]; at 1, all that is under way would arrive at once."""


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


_IMPORTED: dict[str, Callable[..., LatencyModel]] = {}


@dataclass(frozen=True, kw_only=True)
class LatencyModel(ABC):
    """How long things take, and whether they arrive at all. A frozen dataclass; its fields are what documents say."""

    kind: ClassVar[str]
    """What documents call it, and snapshots."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kind" in vars(cls):
            _IMPORTED.setdefault(cls.kind, cls)

    loss: float = 0.0
    """Probability that an item never arrives."""
    seed: int | None = None
    """Seed of this model's own draws; None: the run's seed."""
    order: Order = "keep"
    """`keep`: nothing overtakes what was sent before it, and waits for it if its own delay is shorter; `break`: each
    item comes when its own delay is over; `drift`: the same, but delays change so slowly that nothing can overtake."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.loss <= 1.0:
            raise ValueError(f"loss must be between 0 and 1, not {self.loss}")
        if self.order not in ORDERS:
            raise ValueError(f"order must be {', '.join(ORDERS[:-1])} or {ORDERS[-1]}, not {self.order!r}")
        if self.order == "drift" and type(self).drift is LatencyModel.drift:
            raise ValueError(f"the model {self.kind} cannot drift: its order is keep or break")
        self.check()
        check_range("smallest latency", self.minimum)

    @property
    @abstractmethod
    def minimum(self) -> float:
        """No draw is smaller [ms]: by so much the server may run ahead of a client's acknowledgements."""

    @property
    def average(self) -> float:
        """What a draw is on the average [ms]; not a number where a model does not say."""
        return math.nan

    @property
    def longest(self) -> float:
        """What a draw practically never exceeds [ms]: for so long there has to be memory."""
        return LONGEST_MS

    @abstractmethod
    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        """The delay of one item [ms]; infinite if it never arrives.

        `memory` is empty at first and this model's own, to keep what decides about later draws, as plain JSON values.
        """

    def drift(self, rng: Generator, memory: dict[str, Any], elapsed: float) -> float:
        """As `draw`, for the order `drift`; the item is sent `elapsed` after the last one [ms], 0 for the first.

        Over time all delays are as likely as with `draw`, and none is shorter than the last by more than `elapsed`.
        """
        raise NotImplementedError

    def changed_to(self, latency: Latency) -> LatencyModel:
        """Another model, or this delay [ms] with loss, seed and order as they are."""
        if isinstance(latency, LatencyModel):
            return latency
        return Constant(latency, loss=self.loss, seed=self.seed, order=self.order)

    def check(self) -> None:
        """Refuses parameters that make no sense, with a ValueError."""
        return None

    def __str__(self) -> str:
        """In words, for people: `20 ms`, `uniform, 10 to 30 ms, loses 5 %`."""
        odd = [f"loses {100 * self.loss:g} %"] if self.loss else []
        order = {"keep": [], "break": ["may overtake"], "drift": ["drifts"]}[self.order]
        return ", ".join([self.words(), *odd, *order])

    def words(self) -> str:
        """How long things take, in words; without what all models have."""
        own = {name: value for name, value in asdict(self).items() if name not in ("loss", "seed", "order")}
        return " ".join([f"{self.kind},", *(f"{name} {value:g}" for name, value in own.items())])

    def generator(self, seed: int, *names: str) -> Generator:
        """The generator for this model's draws: from its own seed if it has one, else from the run's."""
        return generator(seed if self.seed is None else self.seed, *names)

    def to_dict(self) -> dict[str, Any]:
        """The model as plain data."""
        return {"kind": self.kind, **asdict(self)}

    @staticmethod
    def from_dict(data: dict[str, Any], *models: type[LatencyModel]) -> LatencyModel:
        """The model that `to_dict` wrote: one of these, or any other that has been imported."""
        parameters = dict(data)
        kinds = _IMPORTED | {model.kind: model for model in models}
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
    def average(self) -> float:
        return self.value

    @property
    def longest(self) -> float:
        return self.value

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        return self.value

    def words(self) -> str:
        return f"{self.value:g} ms"

    def drift(self, rng: Generator, memory: dict[str, Any], elapsed: float) -> float:
        return self.value

    def check(self) -> None:
        check_range("latency", self.value)


def objection(milliseconds: float) -> str:
    """Why a number is no latency; empty if it is one."""
    if 0.0 <= milliseconds <= LONGEST_MS:
        return ""
    return f"a latency must be between 0 and {LONGEST_MS:g} ms, not {milliseconds:g}"


def check_range(what: str, milliseconds: float) -> None:
    """Refuses what is no latency, with a ValueError."""
    if not 0.0 <= milliseconds <= LONGEST_MS:
        raise ValueError(f"the {what} must be between 0 and {LONGEST_MS:g} ms, not {milliseconds:g}")


Latency = float | LatencyModel
"""A number of milliseconds, or a model."""
